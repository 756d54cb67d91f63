/** `sql` finds breaches as `app_id` and `breach`. */
export interface Invariant {
  readonly name: string;
  readonly sql: string;
  /** The statement takes the time of the check as $1. */
  readonly isTimed?: true;
}

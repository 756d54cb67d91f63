/** `sql` returns each breach as `app_id` and `breach` (a text). */
export interface Invariant {
  readonly name: string;
  readonly sql: string;
  /** True if the statement takes the time of the check as $1. */
  readonly isTimed?: true;
}

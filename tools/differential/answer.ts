export interface Answer {
  /** HTTP status; 0 for steps that send no request. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

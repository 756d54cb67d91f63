/** What a step brought about on one side. */
export interface Answer {
  /** 0 for what is no request. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

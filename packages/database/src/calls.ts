export interface Calls {
  /**
   * Runs the work of a call. `impliesNothingWritten` recognizes errors that tell the client that nothing was written. If the
   * call has written, now or in an earlier run, such an error becomes `UnknownOutcome`.
   */
  readonly track: <Result>(
    work: () => Promise<Result>,
    impliesNothingWritten: (error: unknown) => boolean,
  ) => Promise<Result>;
  /** Whether an earlier run under the same key made the write of the running call. */
  readonly isResumed: () => boolean;
  /** Throws inside a transaction, since locked records must not wait for a network. */
  readonly assertOutsideTransaction: (what: string) => void;
}

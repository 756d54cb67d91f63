export interface KeyedCall {
  readonly appId: number;
  readonly tokenId: number;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly fingerprint: Uint8Array;
}

export const ANSWER_RETENTION_HOURS = 24;
/** Maximum total size of the kept answers of one app. */
export const MAX_ANSWER_BYTES_OF_APP = 128 * 1024 ** 2;
/** A run is considered dead when it has not renewed its lease for this time. */
export const RUN_LEASE_MS = 15_000;

/**
 * Makes the work of a keyed call write at most once. The first transaction of the work also stores its result. The
 * transaction fails when another run has taken the key. If an earlier run has stored a result, the transaction writes
 * nothing and returns that result.
 *
 * A transaction must find the `KeyedWrite` of its call, for example in an `AsyncLocalStorage`. An adapter that also
 * writes to a second store commits the second store last (see `Memory.commit` of `@back-office/database-memory`).
 */
export interface KeyedWrite {
  readonly isWritten: boolean;
  /**
   * Runs the work. If an earlier run has written, the first transaction writes nothing and returns the earlier result.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface Run extends KeyedCall {
  readonly id: string;
  readonly keyedWrite: KeyedWrite;
}

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: Uint8Array;
}

export interface KeyedCalls {
  /**
   * Starts and returns a run, unless the key is already in use. If the call has ended, returns its stored answer, or
   * `not kept` if the answer is not stored. Returns `running` if the call is running, and `reused` if the key belongs
   * to a call with another fingerprint.
   */
  begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused' | 'not kept'>;
  renew(run: Run): Promise<void>;
  /**
   * Ends the run and stores its answer. If the app’s answers would exceed {@link MAX_ANSWER_BYTES_OF_APP}, stores only
   * that the run has ended. Does nothing when another run has taken the key.
   */
  storeAnswer(run: Run, answer: StoredAnswer): Promise<void>;
  /** Ends the run without an answer, so the next call with its key can start at once. */
  release(run: Run): Promise<void>;
  /** Removes a batch of calls older than 24 hours; returns true when more may remain. */
  purge(): Promise<boolean>;
}

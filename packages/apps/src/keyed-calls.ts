/** A call that its client may repeat under a key. */
export interface KeyedCall {
  readonly appId: number;
  readonly tokenId: number;
  readonly key: string;
  /** SHA-256 of method, path and body. */
  readonly fingerprint: Uint8Array;
}

/** Answers are kept so long for repeats. */
export const ANSWER_RETENTION_HOURS = 24;
/** A run counts as dead after so long without renewal. */
export const RUN_LEASE_MS = 15_000;

/**
 * The write of a run: the first transaction of its work, which stores its result in the same transaction.
 *
 * Ports that write take part. `run` passes the write to their transactions, for example by an `AsyncLocalStorage`. The
 * first transaction returns the earlier result, if there is one. Otherwise it stores its own result last, and fails if
 * the run has lost its key. A port with a second store commits that store as the last step of this transaction
 * (`Memory.commit` of `@back-office/database-memory`).
 */
export interface KeyedWrite {
  /** Whether an earlier run has written without an answer. */
  readonly isWritten: boolean;
  /** Runs the work. If an earlier run has written, the first transaction writes nothing and returns that result. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A run of a keyed call: the first, or one that continues after a dead run. */
export interface Run extends KeyedCall {
  readonly id: string;
  readonly once: KeyedWrite;
}

export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: Uint8Array;
}

/** Keyed calls and their answers, kept for 24 hours. */
export interface KeyedCalls {
  /** Starts a run, unless the call is running, has its answer or the key belongs to another call. */
  begin(call: KeyedCall): Promise<Run | StoredAnswer | 'running' | 'reused'>;
  /** Extends the lease of a run; another run can take the key of a dead one. */
  renew(run: Run): Promise<void>;
  /** Stores the answer. Does nothing once another run has the key. */
  keep(run: Run, answer: StoredAnswer): Promise<void>;
  /** Ends the run without an answer; the next call with its key can start at once. */
  release(run: Run): Promise<void>;
  /** Removes a batch of calls older than 24 hours; true when there may be more. */
  purge(): Promise<boolean>;
}

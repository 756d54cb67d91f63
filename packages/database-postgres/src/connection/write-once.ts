import type { Actor } from '@back-office/apps';
import type { Party } from '@back-office/database';
import { AsyncLocalStorage } from 'node:async_hooks';
import { deserialize, serialize } from 'node:v8';
import type { Sql, Statement } from './sql.js';

export interface CallProgress {
  hasWritten: boolean;
}

interface Moment {
  at?: Date;
}

export interface CallContext {
  readonly writeOnce?: WriteOnce;
  readonly progress?: CallProgress;
  /** Present in a transaction. {@link TransactionClock} sets its time. */
  readonly moment?: Moment;
  readonly party?: Party;
  readonly actor?: Actor;
  /** A `PendingCondition`. */
  readonly condition?: object;
  /** The check of a condition reads on the connection of this transaction. */
  readonly reader?: Sql;
}

const storage = new AsyncLocalStorage<CallContext>();
const NO_CONTEXT: CallContext = {};

export function callContext(): CallContext {
  return storage.getStore() ?? NO_CONTEXT;
}

export function runInContext<Result>(changes: CallContext, work: () => Result): Result {
  return storage.run({ ...callContext(), ...changes }, work);
}

/**
 * The write of a keyed call: its first transaction, which also stores the result. A later run of the call gets this
 * result instead of writing again.
 */
export class WriteOnce {
  private isOpen = true;

  /**
   * `storeResultStatement` returns a statement that stores a result. It returns no row if another run has stored one.
   */
  constructor(
    private readonly storeResultStatement: (outcome: Buffer) => {
      readonly text: string;
      readonly values: readonly unknown[];
    },
    private readonly earlierResult: Buffer | null,
  ) {}

  static pending(): WriteOnce | undefined {
    const { writeOnce } = callContext();
    return writeOnce?.isOpen ? writeOnce : undefined;
  }

  static isResumed(): boolean {
    const { writeOnce } = callContext();
    return writeOnce !== undefined && writeOnce.isWritten && !writeOnce.isOpen;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return runInContext({ writeOnce: this }, work);
  }

  get isWritten(): boolean {
    return this.earlierResult !== null;
  }

  resume(): unknown {
    this.isOpen = false;
    return deserialize(this.earlierResult as Buffer);
  }

  markOf(result: unknown): Statement {
    return this.storeResultStatement(serialize(result));
  }

  close(): void {
    this.isOpen = false;
  }
}

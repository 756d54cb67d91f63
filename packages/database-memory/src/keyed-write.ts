import type { KeyedWrite } from '@back-office/apps';
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Outcome {
  readonly result: unknown;
}

const writeStorage = new AsyncLocalStorage<MemoryKeyedWrite>();

export class MemoryKeyedWrite implements KeyedWrite {
  private isOpen = true;

  /** `store` stores an outcome in the current transaction. It throws when another run has taken the key. */
  constructor(
    private readonly earlierOutcome: Outcome | undefined,
    private readonly store: (outcome: Outcome) => void,
  ) {}

  static pendingWrite(): MemoryKeyedWrite | undefined {
    const write = writeStorage.getStore();
    return write?.isOpen ? write : undefined;
  }

  static isResumed(): boolean {
    const write = writeStorage.getStore();
    return write !== undefined && write.isWritten && !write.isOpen;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return writeStorage.run(this, work);
  }

  get isWritten(): boolean {
    return this.earlierOutcome !== undefined;
  }

  resume(): unknown {
    this.isOpen = false;
    return structuredClone(this.earlierOutcome?.result);
  }

  /** Call `keep` last in the transaction that writes. */
  keep(result: unknown): void {
    this.store({ result: structuredClone(result) });
    this.isOpen = false;
  }
}

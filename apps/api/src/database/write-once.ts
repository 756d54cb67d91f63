import { AsyncLocalStorage } from 'node:async_hooks';
import { deserialize, serialize } from 'node:v8';

/** Another run of the same call has already written, or is about to: this one must not. */
export class WrittenByAnother extends Error {}

const current = new AsyncLocalStorage<WriteOnce>();

/**
 * The write of a call that may arrive twice. What its first transaction answers is stored in that same transaction, so
 * that either both are there or neither; a later run of the call gets that answer instead of writing again.
 */
export class WriteOnce {
  private isOpen = true;

  /** `mark` stores an outcome; it divides by the number of rows that it marks, so that it fails when there is none. */
  constructor(
    private readonly mark: (outcome: Buffer) => { readonly text: string; readonly values: readonly unknown[] },
    private readonly earlier: Buffer | null,
  ) {}

  /** The call in whose course this is asked, as long as its write is still to come. */
  static pending(): WriteOnce | undefined {
    const found = current.getStore();
    return found?.isOpen ? found : undefined;
  }

  /** Whether the call that is running has got its write from an earlier run. */
  static isResumed(): boolean {
    const found = current.getStore();
    return found !== undefined && found.isWritten && !found.isOpen;
  }

  /** Runs what a call does; the first transaction in it is the write. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return current.run(this, work);
  }

  /** Whether an earlier run has written, but could not answer. */
  get isWritten(): boolean {
    return this.earlier !== null;
  }

  /** What the write of the earlier run has answered. */
  resume(): unknown {
    this.isOpen = false;
    return deserialize(this.earlier as Buffer);
  }

  markOf(result: unknown): { readonly text: string; readonly values: readonly unknown[] } {
    return this.mark(serialize(result));
  }

  done(): void {
    this.isOpen = false;
  }
}

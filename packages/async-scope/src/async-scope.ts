import { AsyncLocalStorage } from 'node:async_hooks';

// On Node 20, every further storage slows down all promises of the process, so all scopes share this one.
const storage = new AsyncLocalStorage<Readonly<Record<symbol, unknown>>>();

/** A value that all code started by `run` can read, also after an `await`, such as the app of a call. */
export class AsyncScope<Value> {
  private readonly key: symbol;

  constructor(name: string) {
    this.key = Symbol(name);
  }

  get current(): Value | undefined {
    return storage.getStore()?.[this.key] as Value | undefined;
  }

  /** Runs the work with another value. Other scopes keep theirs. */
  run<Result>(value: Value, work: () => Result): Result {
    return storage.run({ ...storage.getStore(), [this.key]: value }, work);
  }
}

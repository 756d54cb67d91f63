export type Hook = () => unknown;

export interface Test {
  /** Number of the test within its file. */
  readonly id: number;
  readonly name: string;
  readonly run: Hook;
  readonly timeoutMs: number | undefined;
}

export class Suite {
  readonly beforeAllHooks: Hook[] = [];
  readonly afterAllHooks: Hook[] = [];
  readonly beforeEachHooks: Hook[] = [];
  readonly entries: (Suite | Test)[] = [];

  constructor(
    readonly name: string,
    private readonly parent?: Suite,
  ) {}

  path(): string {
    return [this.parent?.path(), this.name].filter(Boolean).join(' ');
  }

  beforeEach(): Hook[] {
    return [...(this.parent?.beforeEach() ?? []), ...this.beforeEachHooks];
  }

  tests(): Test[] {
    return this.entries.flatMap((entry) => (entry instanceof Suite ? entry.tests() : [entry]));
  }
}

/** Registers the tests of one file; replaces Jest's global functions. */
export class Registry {
  readonly root = new Suite('');
  private currentSuite = this.root;
  private count = 0;

  globals(): object {
    return {
      describe: (name: string, define: () => void) => {
        const suite = new Suite(name, this.currentSuite);
        this.currentSuite.entries.push(suite);
        const outer = this.currentSuite;
        this.currentSuite = suite;
        define();
        this.currentSuite = outer;
      },
      it: (name: string, run: Hook, timeoutMs?: number) => {
        this.count += 1;
        this.currentSuite.entries.push({ id: this.count, name, run, timeoutMs });
      },
      beforeAll: (hook: Hook) => this.currentSuite.beforeAllHooks.push(hook),
      afterAll: (hook: Hook) => this.currentSuite.afterAllHooks.push(hook),
      beforeEach: (hook: Hook) => this.currentSuite.beforeEachHooks.push(hook),
    };
  }
}

export type Hook = () => unknown;

export interface Test {
  /** Its number within its file. */
  readonly id: number;
  readonly name: string;
  readonly run: Hook;
  readonly timeoutMs: number | undefined;
}

/** What `describe` holds. */
export class Suite {
  readonly before: Hook[] = [];
  readonly after: Hook[] = [];
  readonly each: Hook[] = [];
  readonly entries: (Suite | Test)[] = [];

  constructor(
    readonly name: string,
    private readonly parent?: Suite,
  ) {}

  path(): string {
    return [this.parent?.path(), this.name].filter(Boolean).join(' ');
  }

  beforeEach(): Hook[] {
    return [...(this.parent?.beforeEach() ?? []), ...this.each];
  }

  tests(): Test[] {
    return this.entries.flatMap((entry) => (entry instanceof Suite ? entry.tests() : [entry]));
  }
}

/** Takes the tests of one file in, under the names of Jest. */
export class Registry {
  readonly root = new Suite('');
  private current = this.root;
  private count = 0;

  globals(): object {
    return {
      describe: (name: string, define: () => void) => {
        const suite = new Suite(name, this.current);
        this.current.entries.push(suite);
        const outer = this.current;
        this.current = suite;
        define();
        this.current = outer;
      },
      it: (name: string, run: Hook, timeoutMs?: number) => {
        this.count += 1;
        this.current.entries.push({ id: this.count, name, run, timeoutMs });
      },
      beforeAll: (hook: Hook) => this.current.before.push(hook),
      afterAll: (hook: Hook) => this.current.after.push(hook),
      beforeEach: (hook: Hook) => this.current.each.push(hook),
    };
  }
}

type TestBody = () => unknown;

/** Functions of a test runner that the contract tests use. {@link runnerOf} adapts Jest, Vitest and `node:test`. */
export interface Runner {
  describe(name: string, define: () => void): void;
  it(name: string, run: TestBody, timeoutMs?: number): void;
  before(run: TestBody): void;
  after(run: TestBody): void;
  beforeEach(run: TestBody): void;
}

type Hook = (run: () => Promise<void>) => unknown;

interface JestFunctions {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
  readonly beforeAll: Hook;
  readonly afterAll: Hook;
  readonly beforeEach: Hook;
}

interface NodeTestFunctions {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, options: { readonly timeout?: number }, run: () => Promise<void>) => unknown;
  readonly before: Hook;
  readonly after: Hook;
  readonly beforeEach: Hook;
}

/** Adapts a test runner. `functions` is `globalThis` under Jest, otherwise the module `vitest` or `node:test`. */
export function runnerOf(functions: object): Runner {
  if ('beforeAll' in functions) {
    const { describe, it, beforeAll, afterAll, beforeEach } = functions as JestFunctions;
    return {
      describe: (name, define) => void describe(name, define),
      it: (name, run, timeoutMs) => void it(name, ignoreResult(run), timeoutMs),
      before: (run) => void beforeAll(ignoreResult(run)),
      after: (run) => void afterAll(ignoreResult(run)),
      beforeEach: (run) => void beforeEach(ignoreResult(run)),
    };
  }
  if (!('before' in functions)) throw new TypeError('Expected the functions of Jest, Vitest or node:test');
  const { describe, it, before, after, beforeEach } = functions as NodeTestFunctions;
  return {
    describe: (name, define) => void describe(name, define),
    it: (name, run, timeoutMs) =>
      void it(name, timeoutMs === undefined ? {} : { timeout: timeoutMs }, ignoreResult(run)),
    before: (run) => void before(ignoreResult(run)),
    after: (run) => void after(ignoreResult(run)),
    beforeEach: (run) => void beforeEach(ignoreResult(run)),
  };
}

/** Returns nothing to the runner, because some runners interpret a returned value. */
function ignoreResult(run: TestBody): () => Promise<void> {
  return async () => {
    await run();
  };
}

type Values<Case> = Case extends readonly unknown[] ? [...Case] : [Case];

/** Defines one test per case. The values of the case replace `%s`, `%d` and `%j` in the title, in order. */
export function eachCase<const Case>(it: Runner['it'], cases: readonly Case[]) {
  return (title: string, run: (...values: Values<Case>) => ReturnType<TestBody>, timeoutMs?: number): void => {
    for (const values of cases.map((item) => (Array.isArray(item) ? item : [item]) as Values<Case>)) {
      it(formatTitle(title, values), () => run(...values), timeoutMs);
    }
  };
}

function formatTitle(title: string, values: readonly unknown[]): string {
  let nextIndex = 0;
  return title.replaceAll(/%[sdj]/g, (placeholder) => {
    const value = values[nextIndex++];
    return placeholder === '%j' ? JSON.stringify(value) : String(value);
  });
}

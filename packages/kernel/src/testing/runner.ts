type Run = () => unknown;

/** Test runner of the contract suites; {@link runnerOf} makes one for Jest, Vitest or `node:test`. */
export interface Runner {
  describe(name: string, define: () => void): void;
  it(name: string, run: Run, timeoutMs?: number): void;
  before(run: Run): void;
  after(run: Run): void;
  beforeEach(run: Run): void;
}

type Hook = (run: () => Promise<void>) => unknown;

interface JestLike {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
  readonly beforeAll: Hook;
  readonly afterAll: Hook;
  readonly beforeEach: Hook;
}

interface NodeLike {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, options: { readonly timeout?: number }, run: () => Promise<void>) => unknown;
  readonly before: Hook;
  readonly after: Hook;
  readonly beforeEach: Hook;
}

/** Pass `globalThis` under Jest, the module `vitest` or `node:test` elsewhere. */
export function runnerOf(functions: object): Runner {
  if ('beforeAll' in functions) {
    const { describe, it, beforeAll, afterAll, beforeEach } = functions as JestLike;
    return {
      describe: (name, define) => void describe(name, define),
      it: (name, run, timeoutMs) => void it(name, withoutResult(run), timeoutMs),
      before: (run) => void beforeAll(withoutResult(run)),
      after: (run) => void afterAll(withoutResult(run)),
      beforeEach: (run) => void beforeEach(withoutResult(run)),
    };
  }
  if (!('before' in functions)) throw new TypeError('Expected the functions of Jest, Vitest or node:test');
  const { describe, it, before, after, beforeEach } = functions as NodeLike;
  return {
    describe: (name, define) => void describe(name, define),
    it: (name, run, timeoutMs) =>
      void it(name, timeoutMs === undefined ? {} : { timeout: timeoutMs }, withoutResult(run)),
    before: (run) => void before(withoutResult(run)),
    after: (run) => void after(withoutResult(run)),
    beforeEach: (run) => void beforeEach(withoutResult(run)),
  };
}

/** Runners may interpret a returned value, such as a function. */
function withoutResult(run: Run): () => Promise<void> {
  return async () => {
    await run();
  };
}

type Values<Case> = Case extends readonly unknown[] ? [...Case] : [Case];

/** Defines one test per case; `%s`, `%d` and `%j` in the title stand for its values in order. */
export function eachCase<const Case>(it: Runner['it'], cases: readonly Case[]) {
  return (title: string, run: (...values: Values<Case>) => ReturnType<Run>, timeoutMs?: number): void => {
    for (const values of cases.map((one) => (Array.isArray(one) ? one : [one]) as Values<Case>)) {
      it(formatTitle(title, values), () => run(...values), timeoutMs);
    }
  };
}

function formatTitle(title: string, values: readonly unknown[]): string {
  let next = 0;
  return title.replaceAll(/%[sdj]/g, (form) => {
    const value = values[next++];
    return form === '%j' ? JSON.stringify(value) : String(value);
  });
}

import type { Adapter } from './adapters.js';
import type { SuiteRequest, TestReport } from './messages.js';
import type { RunSuites } from './run.js';

const MIN_TEST_MS = 6_000;
/** A mutant may make a test slower, and other runs the machine. */
const SLOWER = 3;
const TEST_MS = 60_000;
const SUITE_MS = 400_000;

/** How the suites of an adapter do without a mutant. */
export class Baseline {
  constructor(
    private readonly suites: ReadonlyMap<
      string,
      { readonly tests: readonly TestReport[]; readonly setUp: ReadonlySet<number> }
    >,
    /** Whether the tests that run a function are known: not of threads and processes. */
    private readonly isSelective: boolean,
  ) {}

  get tests(): number {
    return [...this.suites.values()].reduce((sum, { tests }) => sum + tests.length, 0);
  }

  /** The tests that run one of these functions, the quickest suite first. */
  testsOf(functions: readonly number[]): (SuiteRequest & { readonly ms: number })[] {
    return [...this.suites]
      .map(([file, { tests, setUp }]) => {
        const isSetUp = functions.some((id) => setUp.has(id));
        const chosen = tests.filter(
          ({ covered }) => !this.isSelective || isSetUp || functions.some((id) => covered.includes(id)),
        );
        const ms = chosen.reduce((sum, test) => sum + test.ms, 0);
        const limits = chosen.map((test) => [test.test, test.ms * SLOWER + MIN_TEST_MS]);
        return { file, tests: Object.fromEntries(limits) as Record<number, number>, ms };
      })
      .filter(({ tests }) => Object.keys(tests).length > 0)
      .toSorted((a, b) => a.ms - b.ms);
  }
}

/** Runs the suites twice, the second time from the last test to the first: so none of them needs another. */
export async function baselineOf(adapter: Adapter, run: RunSuites): Promise<Baseline> {
  const isSelective = adapter.suites.length > 1;
  const suites = adapter.suites.map(async (file) => {
    const first = await testsOf(file, run, false);
    if (isSelective) await testsOf(file, run, true);
    return [file, first] as const;
  });
  return new Baseline(new Map(await Promise.all(suites)), isSelective);
}

async function testsOf(file: string, run: RunSuites, reversed: boolean) {
  const { reports, broken } = await run(
    { suites: [{ file }], reversed, timeoutMs: TEST_MS, watchSql: false },
    SUITE_MS,
  );
  const failure = reports.find((report) => 'failed' in report);
  if (failure || broken)
    throw new Error(
      `${file} fails without a mutant${reversed ? ', the last test first' : ''}: ${failure ? `${failure.failed}: ${failure.why}` : broken}`,
    );
  return {
    tests: reports.flatMap((report) => ('passed' in report ? [report.passed] : [])),
    setUp: new Set(reports.flatMap((report) => ('setUp' in report ? report.setUp : []))),
  };
}

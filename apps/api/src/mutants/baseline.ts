import type { Adapter } from './adapters.js';
import type { SuiteRequest, TestReport } from './messages.js';
import type { RunSuites } from './run.js';

const MIN_TEST_MS = 6_000;
/** Allows for slow mutants and for other test runs on the machine. */
const MAX_SLOWDOWN_FACTOR = 3;
const TEST_TIMEOUT_MS = 60_000;
const SUITE_TIMEOUT_MS = 400_000;

/** Test results of an adapter without any mutant. */
export class Baseline {
  constructor(
    private readonly suites: ReadonlyMap<
      string,
      { readonly tests: readonly TestReport[]; readonly setUp: ReadonlySet<number> }
    >,
    /** False when functions run in threads or child processes, where coverage cannot be recorded. */
    private readonly hasCoverage: boolean,
  ) {}

  get tests(): number {
    return [...this.suites.values()].reduce((sum, { tests }) => sum + tests.length, 0);
  }

  /** Returns the tests that run at least one of these functions, the quickest suite first. */
  testsOf(functions: readonly number[]): (SuiteRequest & { readonly ms: number })[] {
    return [...this.suites]
      .map(([file, { tests, setUp }]) => {
        const isSetUp = functions.some((id) => setUp.has(id));
        const selectedTests = tests.filter(
          ({ covered }) => !this.hasCoverage || isSetUp || functions.some((id) => covered.includes(id)),
        );
        const ms = selectedTests.reduce((sum, test) => sum + test.ms, 0);
        const limits = selectedTests.map((test) => [test.test, test.ms * MAX_SLOWDOWN_FACTOR + MIN_TEST_MS]);
        return { file, tests: Object.fromEntries(limits) as Record<number, number>, ms };
      })
      .filter(({ tests }) => Object.keys(tests).length > 0)
      .toSorted((a, b) => a.ms - b.ms);
  }
}

/**
 * Runs each suite in order. With coverage, runs it again in reverse, so that a test fails if it depends on other tests.
 */
export async function runBaseline(adapter: Adapter, run: RunSuites): Promise<Baseline> {
  const hasCoverage = adapter.suites.length > 1;
  const suites = adapter.suites.map(async (file) => {
    const baseline = await runSuite(file, run, false);
    if (hasCoverage) await runSuite(file, run, true);
    return [file, baseline] as const;
  });
  return new Baseline(new Map(await Promise.all(suites)), hasCoverage);
}

async function runSuite(file: string, run: RunSuites, reversed: boolean) {
  const { reports, endReason } = await run(
    { suites: [{ file }], reversed, timeoutMs: TEST_TIMEOUT_MS, watchSql: false },
    SUITE_TIMEOUT_MS,
  );
  const failure = reports.find((report) => 'failedTest' in report);
  if (failure || endReason)
    throw new Error(
      `${file} fails without a mutant${reversed ? ' in reverse order' : ''}: ${failure ? `${failure.failedTest}: ${failure.message}` : endReason}`,
    );
  return {
    tests: reports.flatMap((report) => ('passedTest' in report ? [report.passedTest] : [])),
    setUp: new Set(reports.flatMap((report) => ('setUp' in report ? report.setUp : []))),
  };
}

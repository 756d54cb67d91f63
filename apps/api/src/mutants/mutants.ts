import { SeededRandom } from '../differential/seeded-random.js';
import type { Adapter } from './adapters.js';
import { runBaseline, type Baseline } from './baseline.js';
import { FunctionMap } from './coverage.js';
import type { RunRequest } from './messages.js';
import { pointsOf, type Point } from './points.js';
import { runSuites, type SuiteRun, type RunSuites } from './run.js';
import { builtFile, CompiledCopies, withReplacedSource } from './compiled-copies.js';

const LOADING_TIMEOUT_MS = 60_000;
const MAX_SLOWDOWN_FACTOR = 6;

export type MutantResult = 'killed' | 'survived' | 'invalid';

export interface Verdict {
  readonly point: Point;
  readonly result: MutantResult;
  /** Name of the failed test, or why no test failed. */
  readonly reason: string;
}

export interface AdapterReport {
  readonly name: string;
  /** Number of mutation points from which the mutants were drawn. */
  readonly pointCount: number;
  readonly testCount: number;
  readonly verdicts: readonly Verdict[];
}

export interface MutantOptions {
  readonly adapters: readonly Adapter[];
  readonly perAdapter: number;
  readonly seed: number;
  /** Only operators with this text in their name are used. */
  readonly operator?: string;
  readonly concurrency: number;
  readonly env: Readonly<Record<string, string>>;
  /** Aborts all runs; the report then contains the verdicts so far. */
  readonly signal?: AbortSignal;
  readonly onVerdict?: (adapter: Adapter, verdict: Verdict) => void;
}

/** Makes mutants of each adapter and runs its contract suites against them. */
export async function testMutants(root: string, options: MutantOptions): Promise<AdapterReport[]> {
  const functionMap = new FunctionMap(options.adapters);
  const copies = await CompiledCopies.open(root, options.concurrency, (file, text) =>
    functionMap.instrument(file, text),
  );
  const pool = new CopyPool(copies.folders, options.env, options.signal ?? new AbortController().signal);
  try {
    const openings = options.adapters.map(async (adapter) => {
      const baseline = await runBaseline(adapter, (request, ms) => pool.use((run) => run(request, ms)));
      return new MutantQueue(adapter, baseline, functionMap, options);
    });
    const queues = await Promise.all(openings);
    await Promise.all(queues.flatMap((queue) => Array.from({ length: options.concurrency }, () => queue.work(pool))));
    return queues.map((queue) => queue.report());
  } finally {
    await copies.close();
  }
}

/** Copies of the repository, each used by one run at a time. */
class CopyPool {
  private readonly freeCopies: string[];
  private readonly waitingRuns: ((copy: string) => void)[] = [];

  constructor(
    copies: readonly string[],
    private readonly env: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal,
  ) {
    this.freeCopies = [...copies];
  }

  async use<Result>(work: (run: RunSuites, copy: string) => Promise<Result>): Promise<Result> {
    const copy = this.freeCopies.pop() ?? (await new Promise<string>((resolve) => this.waitingRuns.push(resolve)));
    try {
      return await work((request, timeoutMs) => this.runSuites(copy, request, timeoutMs), copy);
    } finally {
      const nextRun = this.waitingRuns.shift();
      if (nextRun) nextRun(copy);
      else this.freeCopies.push(copy);
    }
  }

  private runSuites(copy: string, request: RunRequest, timeoutMs: number): Promise<SuiteRun> {
    const suites = request.suites.map((suite) => ({ ...suite, file: builtFile(copy, suite.file) }));
    return runSuites(copy, { ...request, suites }, { env: this.env, timeoutMs, signal: this.signal });
  }
}

/** Mutants of one adapter, in random order. */
class MutantQueue {
  private readonly remainingPoints: Point[];
  private readonly pointCount: number;
  private readonly verdicts: Verdict[] = [];
  private runningCount = 0;

  constructor(
    private readonly adapter: Adapter,
    private readonly baseline: Baseline,
    private readonly functionMap: FunctionMap,
    private readonly options: MutantOptions,
  ) {
    const points = adapter.sources
      .flatMap(pointsOf)
      .filter(({ operator }) => operator.includes(options.operator ?? ''));
    this.pointCount = points.length;
    this.remainingPoints = shuffle(points, new SeededRandom(options.seed));
  }

  /** Runs mutants until enough of them are valid. */
  async work(pool: CopyPool): Promise<void> {
    for (let point = this.next(); point !== undefined; point = this.next()) {
      const verdict = await this.runMutant(point, pool);
      if (this.options.signal?.aborted) return;
      this.runningCount -= 1;
      this.verdicts.push(verdict);
      this.options.onVerdict?.(this.adapter, verdict);
    }
  }

  report(): AdapterReport {
    const { adapter, pointCount, verdicts, baseline } = this;
    return { name: adapter.name, pointCount, testCount: baseline.tests, verdicts };
  }

  private next(): Point | undefined {
    const validCount = this.verdicts.filter(({ result }) => result !== 'invalid').length;
    if (validCount + this.runningCount >= this.options.perAdapter) return undefined;
    const point = this.remainingPoints.pop();
    if (point) this.runningCount += 1;
    return point;
  }

  private async runMutant(point: Point, pool: CopyPool): Promise<Verdict> {
    const suites = this.baseline.testsOf(this.functionMap.affectedFunctions(point));
    if (suites.length === 0) return { point, result: 'survived', reason: 'no suite runs it' };
    const ms = suites.reduce((sum, suite) => sum + suite.ms, 0);
    const request = { suites, reversed: false, timeoutMs: LOADING_TIMEOUT_MS, watchSql: this.adapter.needsPostgres };
    try {
      return await pool.use(async (run, copy) =>
        withReplacedSource(copy, point.source, point.source.apply(point), async () =>
          verdictOf(point, await run(request, ms * MAX_SLOWDOWN_FACTOR + LOADING_TIMEOUT_MS)),
        ),
      );
    } catch (error) {
      return { point, result: 'invalid', reason: (error as Error).message };
    }
  }
}

function verdictOf(point: Point, { reports, endReason }: SuiteRun): Verdict {
  const failure = reports.find((report) => 'failedTest' in report);
  if (failure?.isSqlInvalid) return { point, result: 'invalid', reason: failure.message };
  if (failure) return { point, result: 'killed', reason: `${failure.failedTest}: ${failure.message}` };
  return endReason ? { point, result: 'killed', reason: endReason } : { point, result: 'survived', reason: 'all pass' };
}

function shuffle<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = random.between(0, index);
    [shuffled[index], shuffled[other]] = [shuffled[other] as Item, shuffled[index] as Item];
  }
  return shuffled;
}

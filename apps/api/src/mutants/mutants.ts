import { SeededRandom } from '../differential/seeded-random.js';
import type { Adapter } from './adapters.js';
import { baselineOf, type Baseline } from './baseline.js';
import { FunctionMap } from './coverage.js';
import type { RunRequest } from './messages.js';
import { pointsOf, type Point } from './points.js';
import { runSuites, type Run, type RunSuites } from './run.js';
import { builtFile, withText, Workshop } from './workshop.js';

const LOADING_MS = 60_000;
const SLOWER = 6;

export type MutantResult = 'killed' | 'survived' | 'invalid';

export interface Verdict {
  readonly point: Point;
  readonly result: MutantResult;
  /** The test that has failed, or why none could. */
  readonly by: string;
}

export interface AdapterReport {
  readonly name: string;
  /** Points that the mutants were chosen from. */
  readonly points: number;
  readonly tests: number;
  readonly verdicts: readonly Verdict[];
}

export interface Plan {
  readonly adapters: readonly Adapter[];
  readonly perAdapter: number;
  readonly seed: number;
  /** Only operators whose names contain this. */
  readonly operator?: string;
  /** Runs at a time. */
  readonly atOnce: number;
  readonly env: Readonly<Record<string, string>>;
  /** Ends all runs; what was judged before is reported. */
  readonly signal?: AbortSignal;
  readonly onVerdict?: (adapter: Adapter, verdict: Verdict) => void;
}

/** Makes mutants of the adapters, and runs the contract suites of each against each of its mutants. */
export async function testMutants(root: string, plan: Plan): Promise<AdapterReport[]> {
  const map = new FunctionMap(plan.adapters);
  const workshop = await Workshop.open(root, plan.atOnce, (file, text) => map.instrumented(file, text));
  const bench = new Bench(workshop.copies, plan.env, plan.signal ?? new AbortController().signal);
  try {
    const lines = plan.adapters.map(async (adapter) => {
      const baseline = await baselineOf(adapter, (request, ms) => bench.use((run) => run(request, ms)));
      return new Line(adapter, baseline, map, plan);
    });
    const opened = await Promise.all(lines);
    await Promise.all(opened.flatMap((line) => Array.from({ length: plan.atOnce }, () => line.work(bench))));
    return opened.map((line) => line.report());
  } finally {
    await workshop.close();
  }
}

/** The copies, of which each is used by one run at a time. */
class Bench {
  private readonly free: string[];
  private readonly waiting: ((copy: string) => void)[] = [];

  constructor(
    copies: readonly string[],
    private readonly env: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal,
  ) {
    this.free = [...copies];
  }

  async use<Result>(work: (run: RunSuites, copy: string) => Promise<Result>): Promise<Result> {
    const copy = this.free.pop() ?? (await new Promise<string>((resolve) => this.waiting.push(resolve)));
    try {
      return await work((request, timeoutMs) => this.run(copy, request, timeoutMs), copy);
    } finally {
      const next = this.waiting.shift();
      if (next) next(copy);
      else this.free.push(copy);
    }
  }

  private run(copy: string, request: RunRequest, timeoutMs: number): Promise<Run> {
    const suites = request.suites.map((suite) => ({ ...suite, file: builtFile(copy, suite.file) }));
    return runSuites(copy, { ...request, suites }, { env: this.env, timeoutMs, signal: this.signal });
  }
}

/** The mutants of one adapter, in the order of the draw. */
class Line {
  private readonly drawn: Point[];
  private readonly points: number;
  private readonly verdicts: Verdict[] = [];
  private open = 0;

  constructor(
    private readonly adapter: Adapter,
    private readonly baseline: Baseline,
    private readonly map: FunctionMap,
    private readonly plan: Plan,
  ) {
    const points = adapter.sources.flatMap(pointsOf).filter(({ operator }) => operator.includes(plan.operator ?? ''));
    this.points = points.length;
    this.drawn = shuffled(points, new SeededRandom(plan.seed));
  }

  /** Takes mutants until there are enough; one that is invalid makes room for another. */
  async work(bench: Bench): Promise<void> {
    for (let point = this.next(); point !== undefined; point = this.next()) {
      const verdict = await this.runMutant(point, bench);
      if (this.plan.signal?.aborted) return;
      this.open -= 1;
      this.verdicts.push(verdict);
      this.plan.onVerdict?.(this.adapter, verdict);
    }
  }

  report(): AdapterReport {
    const { adapter, points, verdicts, baseline } = this;
    return { name: adapter.name, points, tests: baseline.tests, verdicts };
  }

  private next(): Point | undefined {
    const valid = this.verdicts.filter(({ result }) => result !== 'invalid').length;
    if (valid + this.open >= this.plan.perAdapter) return undefined;
    const point = this.drawn.pop();
    if (point) this.open += 1;
    return point;
  }

  private async runMutant(point: Point, bench: Bench): Promise<Verdict> {
    const suites = this.baseline.testsOf(this.map.runningAt(point));
    if (suites.length === 0) return { point, result: 'survived', by: 'no suite runs it' };
    const ms = suites.reduce((sum, suite) => sum + suite.ms, 0);
    const request = { suites, reversed: false, timeoutMs: LOADING_MS, watchSql: this.adapter.needsPostgres };
    try {
      return await bench.use(async (run, copy) =>
        withText(copy, point.source, point.source.with(point), async () =>
          verdictOf(point, await run(request, ms * SLOWER + LOADING_MS)),
        ),
      );
    } catch (error) {
      return { point, result: 'invalid', by: (error as Error).message };
    }
  }
}

function verdictOf(point: Point, { reports, broken }: Run): Verdict {
  const failure = reports.find((report) => 'failed' in report);
  if (failure?.isSqlInvalid) return { point, result: 'invalid', by: failure.why };
  if (failure) return { point, result: 'killed', by: `${failure.failed}: ${failure.why}` };
  return broken ? { point, result: 'killed', by: broken } : { point, result: 'survived', by: 'all pass' };
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const left = [...items];
  for (let index = left.length - 1; index > 0; index -= 1) {
    const other = random.between(0, index);
    [left[index], left[other]] = [left[other] as Item, left[index] as Item];
  }
  return left;
}

import type { Answer } from './answer.js';
import { Comparer, type Difference } from './comparer.js';
import { Coverage } from './coverage.js';
import { Executor } from './executor.js';
import { Generator } from './generator.js';
import { shrink } from './shrink.js';
import type { Side } from './side.js';
import { refsIn, formatStep, type Step } from './steps.js';

export interface Pair {
  readonly left: Side;
  readonly right: Side;
}

export interface Finding {
  readonly step: Step;
  readonly differences: readonly Difference[];
  readonly left: Answer;
  readonly right: Answer;
}

export interface Report {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly coverage: Coverage;
  readonly finding?: Finding;
}

/** Sends up to `calls` random steps to both sides and stops when their answers differ. */
export async function explore(pair: Pair, { calls, seed }: { calls: number; seed: number }): Promise<Report> {
  const generator = new Generator(seed, pair.left.routes);
  const coverage = new Coverage(pair.left.routes);
  const run = new PairedRun(pair);
  const steps: Step[] = [];
  try {
    while (steps.length < calls) {
      const step = generator.next();
      steps.push(step);
      const { left, finding } = await run.send(step);
      coverage.record(step, left);
      if (finding) return { seed, steps, coverage, finding };
      generator.learn(step, left);
    }
    return { seed, steps, coverage };
  } finally {
    run.resetClocks();
  }
}

/** Repeats the steps in new apps and returns the first difference. */
export async function replay(pair: Pair, steps: readonly Step[]): Promise<Finding | undefined> {
  const run = new PairedRun(pair);
  try {
    for (const step of steps) {
      const { finding } = await run.send(step);
      if (finding) return finding;
    }
    return undefined;
  } finally {
    run.resetClocks();
  }
}

class PairedRun {
  private readonly comparer = new Comparer();
  private readonly left: Executor;
  private readonly right: Executor;

  constructor(pair: Pair) {
    this.left = new Executor(pair.left);
    this.right = new Executor(pair.right);
  }

  async send(step: Step): Promise<{ left: Answer; finding?: Finding }> {
    const [left, right] = await Promise.all([this.left.send(step), this.right.send(step)]);
    const differences = this.comparer.compare(step, left, right);
    return { left, ...(differences.length > 0 && { finding: { step, differences, left, right } }) };
  }

  resetClocks(): void {
    this.left.resetClock();
    this.right.resetClock();
  }
}

const MAX_TRIES = 400;
const MAX_SHRINKING_MS = 60_000;

export interface MinimalFailure {
  readonly steps: readonly Step[];
  readonly finding: Finding;
}

/**
 * Shrinks the steps to a short list that ends in the same difference. Returns `undefined` when a replay in new apps
 * does not reproduce the difference.
 */
export async function minimize(pair: Pair, { steps, finding }: Report): Promise<MinimalFailure | undefined> {
  if (finding === undefined) return undefined;
  const result: { latest?: MinimalFailure } = {};
  const isFailing = async (candidate: readonly Step[]): Promise<boolean> => {
    const reproduced = await replay(pair, candidate);
    if (reproduced === undefined || signatureOf(reproduced) !== signatureOf(finding)) return false;
    const end = candidate.findIndex(({ id }) => id === reproduced.step.id) + 1;
    result.latest = { steps: candidate.slice(0, end), finding: reproduced };
    return true;
  };
  const app = finding.step.kind === 'call' ? finding.step.app : undefined;
  const stepsOfApp = app === undefined ? steps : steps.filter((step) => !('app' in step) || step.app === app);
  for (const candidate of [neededBy(finding.step, steps), stepsOfApp, steps]) {
    if (await isFailing(candidate)) break;
  }
  const deadline = performance.now() + MAX_SHRINKING_MS;
  const isFailingInTime = async (candidate: readonly Step[]) =>
    performance.now() < deadline && (await isFailing(candidate));
  if (result.latest) await shrink(result.latest.steps, isFailingInTime, MAX_TRIES);
  return result.latest;
}

/**
 * Returns the step, all steps that it refers to directly or indirectly, and every step that creates an app or moves the
 * clock.
 */
function neededBy(step: Step, steps: readonly Step[]): readonly Step[] {
  const neededIds = new Set([step.id]);
  for (const candidate of [...steps].reverse()) {
    if (candidate.kind === 'app' || candidate.kind === 'clock') neededIds.add(candidate.id);
    else if (neededIds.has(candidate.id)) for (const { step: id } of refsIn(candidate)) neededIds.add(id);
  }
  return steps.filter(({ id }) => neededIds.has(id));
}

/** Returns a key of a difference, so that shrinking does not switch to another difference. */
function signatureOf({ step, differences: [firstDifference] }: Finding): string {
  const call = step.kind === 'call' ? `${step.method} ${step.path}` : step.kind;
  return `${call} ${firstDifference?.path.replaceAll(/\d+/g, '0')} ${firstDifference?.why}`;
}

const MAX_VALUE = 2_000;
const MAX_STEPS = 60;

export function describeFailure({ steps, finding }: MinimalFailure, seed: number, calls: number): string {
  const { step, differences, left, right } = finding;
  return [
    `The sides differ at #${step.id}, after ${steps.length} steps:`,
    ...steps.slice(-MAX_STEPS).map((failedStep) => `  ${formatStep(failedStep)}`),
    ...differences
      .slice(0, 10)
      .map(
        ({ path, left: leftValue, right: rightValue, why }) =>
          `${path} (${why}): ${JSON.stringify(leftValue)} | ${JSON.stringify(rightValue)}`,
      ),
    `left:  ${left.status} ${(JSON.stringify(left.body) ?? '').slice(0, MAX_VALUE)}`,
    `right: ${right.status} ${(JSON.stringify(right.body) ?? '').slice(0, MAX_VALUE)}`,
    `Repeat with: npm run differential -- --seed ${seed} --calls ${calls}`,
  ].join('\n');
}

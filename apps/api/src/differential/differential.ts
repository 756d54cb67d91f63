import type { Answer } from './answer.js';
import { Comparer, type Difference } from './comparer.js';
import { Coverage } from './coverage.js';
import { Executor } from './executor.js';
import { Generator } from './generator.js';
import { shrink } from './shrink.js';
import type { Side } from './side.js';
import { refsIn, shown, type Step } from './steps.js';

export interface Pair {
  readonly left: Side;
  readonly right: Side;
}

/** A step that the two sides answer differently. */
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

/** Takes random steps on both sides until their answers differ. */
export async function explore(pair: Pair, { calls, seed }: { calls: number; seed: number }): Promise<Report> {
  const generator = new Generator(seed, pair.left.routes);
  const coverage = new Coverage(pair.left.routes);
  const run = new PairedRun(pair);
  const steps: Step[] = [];
  try {
    while (steps.length < calls) {
      const step = generator.next();
      steps.push(step);
      const { left, finding } = await run.take(step);
      coverage.note(step, left);
      if (finding) return { seed, steps, coverage, finding };
      generator.learn(step, left);
    }
    return { seed, steps, coverage };
  } finally {
    run.end();
  }
}

/** Takes these steps in fresh apps, and returns the first that the sides answer differently. */
export async function replay(pair: Pair, steps: readonly Step[]): Promise<Finding | undefined> {
  const run = new PairedRun(pair);
  try {
    for (const step of steps) {
      const { finding } = await run.take(step);
      if (finding) return finding;
    }
    return undefined;
  } finally {
    run.end();
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

  async take(step: Step): Promise<{ left: Answer; finding?: Finding }> {
    const [left, right] = await Promise.all([this.left.take(step), this.right.take(step)]);
    const differences = this.comparer.compare(step, left, right);
    return { left, ...(differences.length > 0 && { finding: { step, differences, left, right } }) };
  }

  end(): void {
    this.left.end();
    this.right.end();
  }
}

const MAX_TRIES = 400;
const MAX_SHRINKING_MS = 60_000;

export interface Minimal {
  readonly steps: readonly Step[];
  readonly finding: Finding;
}

/** The fewest steps found after which the sides still differ in the same call; `undefined` when fresh apps do not differ. */
export async function minimize(pair: Pair, { steps, finding }: Report): Promise<Minimal | undefined> {
  if (finding === undefined) return undefined;
  const found: { latest?: Minimal } = {};
  const isFailing = async (candidate: readonly Step[]): Promise<boolean> => {
    const again = await replay(pair, candidate);
    if (again === undefined || signatureOf(again) !== signatureOf(finding)) return false;
    const end = candidate.findIndex(({ id }) => id === again.step.id) + 1;
    found.latest = { steps: candidate.slice(0, end), finding: again };
    return true;
  };
  // Most differences need one app and what its steps refer to.
  const app = finding.step.kind === 'call' ? finding.step.app : undefined;
  const own = app === undefined ? steps : steps.filter((step) => !('app' in step) || step.app === app);
  for (const candidate of [neededBy(finding.step, steps), own, steps]) {
    if (await isFailing(candidate)) break;
  }
  const end = performance.now() + MAX_SHRINKING_MS;
  const isWanted = async (candidate: readonly Step[]) => performance.now() < end && (await isFailing(candidate));
  if (found.latest) await shrink(found.latest.steps, isWanted, MAX_TRIES);
  return found.latest;
}

/** The step with all that it refers to directly or through others, and what has to come first. */
function neededBy(step: Step, steps: readonly Step[]): readonly Step[] {
  const needed = new Set([step.id]);
  for (const each of [...steps].reverse()) {
    if (each.kind === 'app' || each.kind === 'clock') needed.add(each.id);
    else if (needed.has(each.id)) for (const { step: id } of refsIn(each)) needed.add(id);
  }
  return steps.filter(({ id }) => needed.has(id));
}

/** Shrinking must not wander off to another difference. */
function signatureOf({ step, differences: [first] }: Finding): string {
  const call = step.kind === 'call' ? `${step.method} ${step.path}` : step.kind;
  return `${call} ${first?.at.replaceAll(/\d+/g, '0')} ${first?.why}`;
}

const MAX_VALUE = 2_000;
const MAX_STEPS = 60;

/** The steps and both answers, to be read by people. */
export function describeFailure({ steps, finding }: Minimal, seed: number, calls: number): string {
  const { step, differences, left, right } = finding;
  return [
    `The sides differ at #${step.id}, after ${steps.length} steps:`,
    ...steps.slice(-MAX_STEPS).map((each) => `  ${shown(each)}`),
    ...differences
      .slice(0, 10)
      .map(
        ({ at, left: mine, right: other, why }) => `${at} (${why}): ${JSON.stringify(mine)} | ${JSON.stringify(other)}`,
      ),
    `left:  ${left.status} ${(JSON.stringify(left.body) ?? '').slice(0, MAX_VALUE)}`,
    `right: ${right.status} ${(JSON.stringify(right.body) ?? '').slice(0, MAX_VALUE)}`,
    `Repeat with: npm run differential -- --seed ${seed} --calls ${calls}`,
  ].join('\n');
}

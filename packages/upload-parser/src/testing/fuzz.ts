import type { BlockCoverage } from './block-coverage.js';
import type { FuzzTarget } from './fuzz-targets.js';
import { mutate } from './mutate.js';
import type { SeededRandom } from './seeded-random.js';

export interface FuzzOptions {
  readonly random: SeededRandom;
  readonly seeds: readonly Uint8Array[];
  readonly shouldContinue: (executions: number) => boolean;
  /** Needed to find new seeds. */
  readonly coverage?: BlockCoverage;
  readonly onNewSeed?: (file: Uint8Array) => void;
}

export interface Finding {
  readonly file: Uint8Array;
  readonly message: string;
}

export interface FuzzResult {
  readonly executions: number;
  readonly findings: readonly Finding[];
}

const BATCH_SIZE = 32;
const MAX_CPU_MS = 2_000;
const MAX_FINDINGS = 5;

/** Checks the seeds, then changed copies of the seeds. A file that reaches new code also becomes a seed. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzResult> {
  const { random, shouldContinue, coverage, onNewSeed } = options;
  const seeds = [...target.seeds, ...options.seeds];
  const findings: Finding[] = [];
  let executions = 0;
  const run = async (file: Uint8Array): Promise<void> => {
    executions += 1;
    const message = await failureOf(target, file);
    if (message !== undefined) findings.push({ file, message });
  };
  for (const seed of seeds) await run(seed);
  await coverage?.takeNewBlocks();
  while (shouldContinue(executions) && findings.length < MAX_FINDINGS) {
    const batch = Array.from({ length: BATCH_SIZE }, () => mutate(seeds, random));
    for (const file of batch) await run(file);
    if (coverage === undefined) continue;
    for (const file of await filesThatReach(await coverage.takeNewBlocks(), target, batch, coverage)) {
      seeds.push(file);
      onNewSeed?.(file);
    }
  }
  return { executions, findings };
}

/** Returns a description of the failure; `undefined` when the parser follows its rules within the CPU limit. */
export async function failureOf({ check }: FuzzTarget, file: Uint8Array): Promise<string | undefined> {
  const before = process.cpuUsage();
  try {
    await check(file);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  return cpuMs > MAX_CPU_MS ? `${Math.round(cpuMs)} ms of CPU time` : undefined;
}

/**
 * Runs the files of a batch again, one by one, and returns those that reach the new code. Coverage is otherwise read
 * once per batch, because reading it after each file is too slow.
 */
async function filesThatReach(
  newBlocks: Set<string>,
  target: FuzzTarget,
  batch: readonly Uint8Array[],
  coverage: BlockCoverage,
): Promise<readonly Uint8Array[]> {
  const files: Uint8Array[] = [];
  for (const file of batch) {
    if (newBlocks.size === 0) break;
    await failureOf(target, file);
    const hits = [...(await coverage.takeBlocks())].filter((block) => newBlocks.delete(block));
    if (hits.length > 0) files.push(file);
  }
  return files;
}

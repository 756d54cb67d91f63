import { loadWith, median, type Figure, type Load } from './load.js';
import type { System } from './systems.js';

export type { NewApp as BenchApp } from '../runtime/with-apps.js';

/** One call, in the form for the service and for the floors. */
export interface Job {
  readonly name: string;
  /** The minimum ratio to the Express floor; none when absent. */
  readonly must?: number;
  /** What one call counts for; 1 by default. */
  readonly unit?: number;
  readonly measure: (system: System, load: Load) => Promise<Figure>;
  /** Warm-up time as a multiple of one measurement; 1 by default. */
  readonly warmUp?: number;
  /** Runs after the warm-up, before the first round. */
  readonly settle?: () => Promise<void>;
}

export async function measureAll(
  jobs: readonly Job[],
  systems: readonly System[],
  load: Load,
  rounds: number,
): Promise<Map<string, Figure[]>> {
  const figures = new Map<string, Figure[]>();
  for (const job of jobs) {
    for (const system of systems) await job.measure(system, { ...load, seconds: load.seconds * (job.warmUp ?? 1) });
    await job.settle?.();
    for (let round = 0; round < rounds; round += 1) {
      for (const system of systems) {
        const key = `${job.name}/${system.name}`;
        figures.set(key, [...(figures.get(key) ?? []), await job.measure(system, load)]);
      }
    }
  }
  return figures;
}

export function report(
  jobs: readonly Job[],
  systems: readonly System[],
  figures: ReadonlyMap<string, readonly Figure[]>,
  clients: number,
): void {
  const names = systems.map(({ name }) => name);
  print(`\n| work (${clients} clients) | ${names.join(' | ')} | ratio to Express floor | must |`);
  print(`| --- | ${names.map(() => '---').join(' | ')} | --- | --- |`);
  for (const { name, must, unit = 1 } of jobs) {
    const rates = names.map((system) => median((figures.get(`${name}/${system}`) ?? []).map((each) => each.perSecond)));
    const ratio = (rates[2] ?? 0) / (rates[1] ?? 1);
    const shown = rates.map((rate) => `${Math.round(rate * unit)}/s`).join(' | ');
    print(`| ${name} | ${shown} | ${ratio.toFixed(2)} | ${must === undefined ? '' : `≥ ${must}`} |`);
    if (must !== undefined && ratio < must) process.exitCode = 1;
  }
}

/** Smaller amounts of data to compare with. */
export function sizesBelow(large: number): { readonly middle: number; readonly small: number } {
  return { middle: Math.ceil(large / 10), small: Math.ceil(large / 100) };
}

/** The same call on a smaller and a larger amount of data. */
export interface Question {
  readonly size: number;
  readonly url: string;
  readonly token: string;
}

const GROWTH_ROUNDS = 3;

/** Measures how the latency of a call grows with the data, with one client and all sizes in turn. */
export async function reportGrowth(
  what: string,
  questions: readonly Question[],
  must: number,
  seconds: number,
): Promise<void> {
  const rates = questions.map((): number[] => []);
  for (let round = 0; round < GROWTH_ROUNDS; round += 1) {
    for (const [index, { url, token }] of questions.entries())
      rates[index]?.push((await loadWith(url, token, { clients: 1, seconds })).perSecond);
  }
  const times = rates.map((each) => 1_000 / median(each));
  const growth = (times.at(-1) ?? 0) / (times[0] ?? 1);
  print(`\n| ${what}, one client | ${questions.map(({ size }) => size).join(' | ')} | growth | must |`);
  print(`| --- | ${questions.map(() => '---').join(' | ')} | --- | --- |`);
  print(`| ms | ${times.map((time) => time.toFixed(2)).join(' | ')} | ${growth.toFixed(2)} | ≤ ${must} |`);
  if (growth > must) process.exitCode = 1;
}

/** Printed lines so far, for the performance page. */
export const printed: string[] = [];

export function print(line: string): void {
  printed.push(line);
  process.stdout.write(`${line}\n`);
}

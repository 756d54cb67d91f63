import { loadWith, median, type Figure, type Load } from './load.js';
import { costBetween, type Cost } from './system-cost.js';
import type { System } from './systems.js';

export type { NewApp as BenchApp } from '../runtime/with-apps.js';

export interface Job {
  readonly name: string;
  /** Minimum ratio to the throughput of the Express floor; no minimum by default. */
  readonly minRatio?: number;
  /** Number of units of work in one call; 1 by default. */
  readonly unit?: number;
  readonly measure: (system: System, load: Load) => Promise<Figure>;
  /** Minimum warm-up time; by default, the time of one measurement. */
  readonly warmUpSeconds?: number;
  /** Returns false for a system that the job leaves out. */
  readonly runsOn?: (system: System) => boolean;
  /** Runs after the warm-up and before the first round. */
  readonly prepareRounds?: () => Promise<void>;
}

/** A figure with the cost of one operation, if the run has a meter. */
export type CostedFigure = Figure & { readonly cost?: Cost };

export async function measureAll(
  jobs: readonly Job[],
  systems: readonly System[],
  load: Load,
  rounds: number,
  readCost?: (pid: number) => Cost,
): Promise<Map<string, CostedFigure[]>> {
  const figures = new Map<string, CostedFigure[]>();
  for (const job of jobs) {
    const runners = systems.filter((system) => job.runsOn?.(system) ?? true);
    for (const system of runners)
      await job.measure(system, { ...load, seconds: Math.max(load.seconds, job.warmUpSeconds ?? 0) });
    await job.prepareRounds?.();
    for (let round = 0; round < rounds; round += 1) {
      for (const system of runners) {
        const key = `${job.name}/${system.name}`;
        figures.set(key, [...(figures.get(key) ?? []), await measureWithCost(job, system, load, readCost)]);
      }
    }
  }
  return figures;
}

async function measureWithCost(
  job: Job,
  system: System,
  load: Load,
  readCost: ((pid: number) => Cost) | undefined,
): Promise<CostedFigure> {
  if (readCost === undefined) return job.measure(system, load);
  const start = readCost(system.pid);
  const startMs = performance.now();
  const figure = await job.measure(system, load);
  const operations = figure.perSecond * ((performance.now() - startMs) / 1_000);
  return { ...figure, cost: costBetween(start, readCost(system.pid), operations) };
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
  for (const { name, minRatio, unit = 1 } of jobs) {
    const rates = names.map((system) =>
      median((figures.get(`${name}/${system}`) ?? []).map((figure) => figure.perSecond)),
    );
    const ratio = (rates[2] ?? 0) / (rates[1] ?? 1);
    const formattedRates = rates.map((rate) => `${Math.round(rate * unit)}/s`).join(' | ');
    print(`| ${name} | ${formattedRates} | ${ratio.toFixed(2)} | ${minRatio === undefined ? '' : `≥ ${minRatio}`} |`);
    if (minRatio !== undefined && ratio < minRatio) process.exitCode = 1;
  }
}

/** Returns 10 % and 1 % of an amount of data, for measuring growth. */
export function sizesBelow(large: number): { readonly middle: number; readonly small: number } {
  return { middle: Math.ceil(large / 10), small: Math.ceil(large / 100) };
}

/** A request on one amount of data. Other cases send the same request on a smaller or larger amount. */
export interface GrowthCase {
  readonly size: number;
  readonly url: string;
  readonly token: string;
}

const GROWTH_ROUNDS = 3;

/** Measures how the latency of a request grows with the data. One client sends the requests to all sizes in turn. */
export async function reportGrowth(
  name: string,
  cases: readonly GrowthCase[],
  maxGrowth: number,
  seconds: number,
): Promise<void> {
  const ratesByCase = cases.map((): number[] => []);
  for (let round = 0; round < GROWTH_ROUNDS; round += 1) {
    for (const [index, { url, token }] of cases.entries())
      ratesByCase[index]?.push((await loadWith(url, token, { clients: 1, seconds })).perSecond);
  }
  const latenciesMs = ratesByCase.map((rates) => 1_000 / median(rates));
  const growth = (latenciesMs.at(-1) ?? 0) / (latenciesMs[0] ?? 1);
  print(`\n| ${name}, one client | ${cases.map(({ size }) => size).join(' | ')} | growth | must |`);
  print(`| --- | ${cases.map(() => '---').join(' | ')} | --- | --- |`);
  print(`| ms | ${latenciesMs.map((time) => time.toFixed(2)).join(' | ')} | ${growth.toFixed(2)} | ≤ ${maxGrowth} |`);
  if (growth > maxGrowth) process.exitCode = 1;
}

/** All printed lines; the performance page quotes them. */
export const printedLines: string[] = [];

export function print(line: string): void {
  printedLines.push(line);
  process.stdout.write(`${line}\n`);
}

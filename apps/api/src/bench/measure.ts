import { readConfig } from '../config.js';
import { startService } from '../runtime/service.js';
import { TOKENS } from '../tokens.js';
import { median, type Figure, type Load } from './load.js';
import type { System } from './systems.js';

export interface BenchApp {
  readonly id: number;
  readonly token: string;
}

/** One question, as the service and as the floors are asked it. */
export interface Job {
  readonly name: string;
  readonly must: number;
  /** What one call counts for; 1 unless said. */
  readonly unit?: number;
  readonly measure: (system: System, load: Load) => Promise<Figure>;
}

/** New apps and a token of each. */
export async function makeApps<Names extends readonly string[]>(
  url: string,
  names: readonly [...Names],
): Promise<{ [Index in keyof Names]: BenchApp }> {
  const service = await startService({ ...readConfig({}), databaseUrl: url });
  const apps = service.container.get(TOKENS.Apps);
  const made: BenchApp[] = [];
  for (const name of names) {
    const id = await apps.create({ name, currency: 'RSD' });
    made.push({ id, token: (await apps.issueToken({ appId: id })) as string });
  }
  await service.stop();
  return made as { [Index in keyof Names]: BenchApp };
}

export async function measureAll(
  jobs: readonly Job[],
  systems: readonly System[],
  load: Load,
  rounds: number,
): Promise<Map<string, Figure[]>> {
  const figures = new Map<string, Figure[]>();
  for (const job of jobs) {
    for (const system of systems) await job.measure(system, { ...load, seconds: 1 });
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
  print(`| work (${clients} clients) | ${names.join(' | ')} | ratio to Express floor | must |`);
  print(`| --- | ${names.map(() => '---').join(' | ')} | --- | --- |`);
  for (const { name, must, unit = 1 } of jobs) {
    const rates = names.map((system) => median((figures.get(`${name}/${system}`) ?? []).map((each) => each.perSecond)));
    const ratio = (rates[2] ?? 0) / (rates[1] ?? 1);
    print(
      `| ${name} | ${rates.map((rate) => `${Math.round(rate * unit)}/s`).join(' | ')} | ${ratio.toFixed(2)} | ≥ ${must} |`,
    );
    if (ratio < must) process.exitCode = 1;
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

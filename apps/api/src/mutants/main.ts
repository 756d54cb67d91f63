import { Command } from 'commander';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../config.js';
import { ADAPTER_NAMES, adaptersOf } from './adapters.js';
import { openTemplate } from './database.js';
import { testMutants } from './mutants.js';
import { describePoint } from './points.js';
import { killedPercent, MIN_KILLED_PERCENT, tableOf } from './report.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const program = new Command('mutants')
  .description('Makes one fault at a time in every shipped adapter and runs its contract suites')
  .option('--per-adapter <number>', 'mutants of each adapter', '40')
  .option('--seed <number>', 'seed of the random choice of mutants', '1')
  .option('--only <names...>', `adapters: ${ADAPTER_NAMES.join(', ')}`)
  .option('--operator <text>', 'only operators whose name contains this text, such as SQL or await', '')
  .option('--at-once <number>', 'number of concurrent runs', '3')
  .option('--verbose', 'print every mutant and the test that has killed it');
program.parse();
const { perAdapter, seed, only, operator, atOnce, verbose } = program.opts<{
  perAdapter: string;
  seed: string;
  only?: string[];
  operator: string;
  atOnce: string;
  verbose?: true;
}>();

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const unknownNames = (only ?? []).filter((name) => !ADAPTER_NAMES.includes(name));
if (unknownNames.length > 0)
  throw new Error(`There is no adapter ${unknownNames.join(', ')}: ${ADAPTER_NAMES.join(', ')}`);
const adapters = adaptersOf(ROOT, only);
const { databaseUrl } = readConfig();
const usesPostgres = adapters.some(({ needsPostgres }) => needsPostgres);
if (usesPostgres && databaseUrl === undefined)
  throw new Error('Set DATABASE_URL to a PostgreSQL server where databases may be created');
const template = usesPostgres && databaseUrl !== undefined ? await openTemplate(databaseUrl) : undefined;
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
const startMs = performance.now();
try {
  const reports = await testMutants(ROOT, {
    adapters,
    perAdapter: Number(perAdapter),
    seed: Number(seed),
    operator,
    concurrency: Number(atOnce),
    env: template?.env ?? {},
    signal: abort.signal,
    onVerdict: ({ name }, { point, result, reason }) => {
      if (verbose)
        print(`${result} ${name} ${describePoint(point)} <- ${reason.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
    },
  });
  print(tableOf(reports));
  print(`seed ${seed}, ${((performance.now() - startMs) / 60_000).toFixed(1)} minutes`);
  if (killedPercent(reports) < MIN_KILLED_PERCENT) {
    process.exitCode = 1;
    print(`Fewer than ${MIN_KILLED_PERCENT} % were killed.`);
  }
} finally {
  await template?.close();
}

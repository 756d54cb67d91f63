import 'reflect-metadata';
import { openDatabase } from '@back-office/database-memory';
import { Command } from 'commander';
import { readConfig } from '../../apps/api/src/config.js';
import { explore, minimize, describeFailure } from './differential.js';
import { openFreshPostgres } from './postgres-side.js';
import { sideOn } from './side.js';

const program = new Command('differential')
  .description('Sends the same random calls to two services that differ in their database, and compares every answer')
  .option('--calls <number>', 'steps to take', '20000')
  .option('--seed <number>', 'seed of the random steps', '1');
program.parse();
const options = program.opts<{ calls: string; seed: string }>();
const [calls, seed] = [Number(options.calls), Number(options.seed)];

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const { databaseUrl } = readConfig();
if (databaseUrl === undefined)
  throw new Error('Set DATABASE_URL to a PostgreSQL server where databases may be created');
const pair = { left: await sideOn(openFreshPostgres(databaseUrl))({}), right: await sideOn(openDatabase)({}) };
try {
  const startMs = performance.now();
  const report = await explore(pair, { calls, seed });
  const seconds = (performance.now() - startMs) / 1_000;
  print(report.coverage.formatLines().join('\n'));
  print(
    `seed ${seed}: ${report.steps.length} steps in ${seconds.toFixed(1)} s, ${(report.steps.length / seconds).toFixed(0)} a second`,
  );
  print(`routes without a success: ${report.coverage.routesWithoutSuccess().join(', ') || 'none'}`);
  if (report.finding) {
    process.exitCode = 1;
    const { steps, finding } = report;
    const minimal = await minimize(pair, report);
    if (!minimal) print('Fresh apps do not differ after the same steps. The last steps of the run:');
    print(describeFailure(minimal ?? { steps: steps.slice(-10), finding }, seed, calls));
  }
} finally {
  await Promise.all([pair.left.close(), pair.right.close()]);
}

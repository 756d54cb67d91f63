import { parseArgs } from 'node:util';
import { BlockCoverage } from './block-coverage.js';
import { keepFile, readCorpus } from './corpus.js';
import { FUZZ_TARGETS } from './fuzz-targets.js';
import { fuzz } from './fuzz.js';
import { SeededRandom } from './seeded-random.js';

const MAX_KEPT_FILES = 12;
const MAX_KEPT_BYTES = 4_096;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
});

const targets = FUZZ_TARGETS.filter(({ name }) => name.includes(values.only));
let hasFindings = false;
for (const target of targets) {
  const coverage = new BlockCoverage();
  await coverage.start();
  const end = performance.now() + Number(values.seconds) * 1_000;
  const seeds = readCorpus(target.name);
  const newSeeds: Uint8Array[] = [];
  const { executions, findings } = await fuzz(target, {
    random: new SeededRandom(Number(values.seed)),
    seeds,
    coverage,
    shouldContinue: () => performance.now() < end,
    onNewSeed: (file) => newSeeds.push(file),
  });
  coverage.close();
  process.stdout.write(
    `${target.name}: ${executions} files, ${newSeeds.length} reach new code (--seed ${values.seed})\n`,
  );
  for (const { file, message } of findings) {
    hasFindings = true;
    process.stdout.write(`${keepFile(target.name, file)}: ${message}\n`);
  }
  const smallSeeds = newSeeds.filter(({ length }) => length <= MAX_KEPT_BYTES);
  if (values.keep) for (const file of smallSeeds.slice(0, MAX_KEPT_FILES - seeds.length)) keepFile(target.name, file);
}
if (targets.length === 0) process.stderr.write('No parser has this name\n');
process.exitCode = hasFindings || targets.length === 0 ? 1 : 0;

import { Command } from 'commander';
import { openFixture, Rig, type Fixture } from './rig.js';
import type { Outcome, Scenario } from './scenario.js';
import { MAX_READY_MS, SCENARIOS } from './scenarios.js';
import { SEEDED_BUGS } from './seeded-bug-list.js';
import { caught, foundWithout, PARTS } from './seeded-bugs.js';
import { verify } from './verify.js';

const program = new Command('faults')
  .description('Breaks each part under load and checks that every rule still holds')
  .option('--only <pattern>', 'only faults whose name matches, without seeded bugs', '')
  .option('--seeded <pattern>', 'only seeded bugs whose name matches, without faults; "none" for faults only', '');
program.parse();
const { only, seeded } = program.opts<{ only: string; seeded: string }>();

/** Concurrent faults, each with its own database server and installation. */
const LANES = 2;
const BUGS_AT_ONCE = 4;
const MAX_RUN_MS = 10 * 60_000;
const begun = performance.now();
const fixtures: Fixture[] = [];
const stopAll = (): Promise<unknown> => Promise.allSettled(fixtures.map((fixture) => fixture.stop()));
// The database servers outlive this process unless they are stopped.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().finally(() => process.exit(1)));
setTimeout(() => {
  print(`\n**not finished after ${seconds(begun)}**`);
  void stopAll().finally(() => process.exit(1));
}, MAX_RUN_MS).unref();
process.setMaxListeners(0);
try {
  const chosen = SCENARIOS.filter(({ name }) => new RegExp(only).test(name));
  if (chosen.length === 0 || (seeded !== 'none' && !SEEDED_BUGS.some(({ name }) => new RegExp(seeded).test(name)))) {
    throw new Error('There is no such fault, or no such bug');
  }
  if (!(only === '' && seeded !== '' && seeded !== 'none')) await faults(chosen);
  if (seeded !== 'none' && only === '') await bugs(await newFixture());
} finally {
  await stopAll();
}
print(`\nin ${seconds(begun)}`);

async function newFixture(): Promise<Fixture> {
  const fixture = await openFixture();
  fixtures.push(fixture);
  return fixture;
}

async function faults(chosen: typeof SCENARIOS): Promise<void> {
  const rigs: Rig[] = [];
  const newLane = async (): Promise<Rig> => {
    const rig = await Rig.open(await newFixture(), 'faults');
    rigs.push(rig);
    return rig;
  };
  print('| fault | ready again | rules | | took |');
  print('| --- | --- | --- | --- | --- |');
  try {
    const first = await newLane();
    await inTurn(
      first,
      chosen.filter(({ alone }) => alone),
    );
    const others = chosen.filter(({ alone }) => !alone);
    const lanes = [first];
    while (lanes.length < Math.min(LANES, others.length)) lanes.push(await newLane());
    await Promise.all(lanes.map((rig) => inTurn(rig, others)));
  } finally {
    await Promise.all(rigs.map((rig) => rig.close()));
  }
}

/** Runs faults from the list until it is empty. */
async function inTurn(rig: Rig, waiting: Scenario[]): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await showFault(rig, next);
}

async function showFault(rig: Rig, { name, run }: Scenario): Promise<void> {
  const started = performance.now();
  const { readyMs, breaches, note = '' } = await outcomeOf(rig, run);
  const isLate = readyMs !== undefined && readyMs > MAX_READY_MS;
  if (breaches.length > 0 || isLate) process.exitCode = 1;
  const ready = readyMs === undefined ? '' : `${Math.round(readyMs)} ms${isLate ? ' (too late)' : ''}`;
  print(
    `| ${name} | ${ready} | ${breaches.length === 0 ? 'hold' : `**${breaches.length} broken**`} | ${note} | ${seconds(started)} |`,
  );
  for (const breach of breaches.slice(0, 5)) print(`|   ${breach} | | | | |`);
}

async function outcomeOf(rig: Rig, run: (rig: Rig) => Promise<Outcome>): Promise<Outcome & { breaches: string[] }> {
  try {
    const outcome = await run(rig);
    return { ...outcome, breaches: [...(outcome.breaches ?? []), ...(await verify(rig))] };
  } catch (error) {
    return { breaches: [(error as Error).message] };
  }
}

/** Each seeded bug must be found, or the suite proves nothing. */
async function bugs(fixture: Fixture): Promise<void> {
  print('\n| seeded bug | found by | took |');
  print('| --- | --- | --- |');
  const chosen = SEEDED_BUGS.filter(({ name }) => new RegExp(seeded).test(name));
  const parts = PARTS.filter((part) => chosen.some(({ foundBy }) => foundBy === part));
  const waiting = [
    ...parts.map((part) => ({ name: `none: ${part}`, isBug: false, find: () => foundWithout(fixture, part) })),
    ...chosen.map((bug) => ({ name: bug.name, isBug: true, find: () => caught(fixture, bug) })),
  ];
  const findNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const started = performance.now();
      const { by, isRight } = await outcomeOfSearch(next);
      if (!isRight) process.exitCode = 1;
      print(`| ${next.name} | ${isRight ? by : `**${by}**`} | ${seconds(started)} |`);
    }
  };
  await Promise.all(Array.from({ length: BUGS_AT_ONCE }, findNext));
}

async function outcomeOfSearch({
  isBug,
  find,
}: {
  readonly isBug: boolean;
  readonly find: () => Promise<string | undefined>;
}): Promise<{ readonly by: string; readonly isRight: boolean }> {
  try {
    const by = await find();
    return { by: by?.slice(0, 160).replaceAll(/\s+/g, ' ') ?? 'nothing', isRight: (by !== undefined) === isBug };
  } catch (error) {
    return { by: (error as Error).message.slice(0, 300).replaceAll(/\s+/g, ' '), isRight: false };
  }
}

function seconds(since: number): string {
  return `${Math.round((performance.now() - since) / 1_000)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

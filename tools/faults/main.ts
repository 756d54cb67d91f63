import { Command } from 'commander';
import { openFixture, Rig, type Fixture } from './rig.js';
import type { ScenarioResult, Scenario } from './scenario.js';
import { MAX_READY_MS, SCENARIOS } from './scenarios.js';
import { SEEDED_BUGS } from './seeded-bug-list.js';
import { findBreachOf, findBreachWithoutBug, PARTS } from './seeded-bugs.js';
import { verify } from './verify.js';

const program = new Command('faults')
  .description('Breaks each part of an installation under load and checks every rule')
  .option('--only <pattern>', 'only faults whose name matches, without seeded bugs', '')
  .option('--seeded <pattern>', 'only seeded bugs whose name matches, without faults; "none" for faults only', '');
program.parse();
const { only, seeded } = program.opts<{ only: string; seeded: string }>();

/** Each running fault needs a separate installation, so few run at the same time. */
const CONCURRENT_FAULTS = 2;
const CONCURRENT_BUGS = 4;
const MAX_RUN_MS = 10 * 60_000;
const startMs = performance.now();
const fixtures: Fixture[] = [];
const stopAll = (): Promise<unknown> => Promise.allSettled(fixtures.map((fixture) => fixture.stop()));
// A database server would keep running after this process ends, so signals stop the servers first.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().finally(() => process.exit(1)));
setTimeout(() => {
  print(`\n**aborted after ${seconds(startMs)}**`);
  void stopAll().finally(() => process.exit(1));
}, MAX_RUN_MS).unref();
process.setMaxListeners(0);
try {
  const selectedScenarios = SCENARIOS.filter(({ name }) => new RegExp(only).test(name));
  if (
    selectedScenarios.length === 0 ||
    (seeded !== 'none' && !SEEDED_BUGS.some(({ name }) => new RegExp(seeded).test(name)))
  ) {
    throw new Error('No fault or no seeded bug has such a name');
  }
  if (!(only === '' && seeded !== '' && seeded !== 'none')) await runFaults(selectedScenarios);
  if (seeded !== 'none' && only === '') await runSeededBugs(await addFixture());
} finally {
  await stopAll();
}
print(`\nin ${seconds(startMs)}`);

async function addFixture(): Promise<Fixture> {
  const fixture = await openFixture();
  fixtures.push(fixture);
  return fixture;
}

async function runFaults(selectedScenarios: readonly Scenario[]): Promise<void> {
  const rigs: Rig[] = [];
  const openRig = async (): Promise<Rig> => {
    const rig = await Rig.open(await addFixture(), 'faults');
    rigs.push(rig);
    return rig;
  };
  print('| fault | ready again | rules | | took |');
  print('| --- | --- | --- | --- | --- |');
  try {
    const firstRig = await openRig();
    await runScenarios(
      firstRig,
      selectedScenarios.filter(({ runsAlone }) => runsAlone),
    );
    const concurrentScenarios = selectedScenarios.filter(({ runsAlone }) => !runsAlone);
    const workingRigs = [firstRig];
    while (workingRigs.length < Math.min(CONCURRENT_FAULTS, concurrentScenarios.length))
      workingRigs.push(await openRig());
    await Promise.all(workingRigs.map((rig) => runScenarios(rig, concurrentScenarios)));
  } finally {
    await Promise.all(rigs.map((rig) => rig.close()));
  }
}

async function runScenarios(rig: Rig, queue: Scenario[]): Promise<void> {
  for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) await reportFault(rig, scenario);
}

async function reportFault(rig: Rig, { name, run }: Scenario): Promise<void> {
  const faultStartMs = performance.now();
  const { readyMs, breaches, note = '' } = await runScenario(rig, run);
  const isLate = readyMs !== undefined && readyMs > MAX_READY_MS;
  if (breaches.length > 0 || isLate) process.exitCode = 1;
  const ready = readyMs === undefined ? '' : `${Math.round(readyMs)} ms${isLate ? ' (too late)' : ''}`;
  print(
    `| ${name} | ${ready} | ${breaches.length === 0 ? 'hold' : `**${breaches.length} broken**`} | ${note} | ${seconds(faultStartMs)} |`,
  );
  for (const breach of breaches.slice(0, 5)) print(`|   ${breach} | | | | |`);
}

async function runScenario(
  rig: Rig,
  run: (rig: Rig) => Promise<ScenarioResult>,
): Promise<ScenarioResult & { breaches: string[] }> {
  try {
    const outcome = await run(rig);
    return { ...outcome, breaches: [...(outcome.breaches ?? []), ...(await verify(rig))] };
  } catch (error) {
    return { breaches: [(error as Error).message] };
  }
}

/** A suite that misses a seeded bug proves nothing, so it must find every one. */
async function runSeededBugs(fixture: Fixture): Promise<void> {
  print('\n| seeded bug | found by | took |');
  print('| --- | --- | --- |');
  const selectedBugs = SEEDED_BUGS.filter(({ name }) => new RegExp(seeded).test(name));
  const parts = PARTS.filter((part) => selectedBugs.some(({ foundBy }) => foundBy === part));
  const queue = [
    ...parts.map((part) => ({ name: `none: ${part}`, hasBug: false, find: () => findBreachWithoutBug(fixture, part) })),
    ...selectedBugs.map((bug) => ({ name: bug.name, hasBug: true, find: () => findBreachOf(fixture, bug) })),
  ];
  const findNext = async (): Promise<void> => {
    for (let search = queue.shift(); search !== undefined; search = queue.shift()) {
      const searchStartMs = performance.now();
      const { breach, isExpected } = await runSearch(search);
      if (!isExpected) process.exitCode = 1;
      print(`| ${search.name} | ${isExpected ? breach : `**${breach}**`} | ${seconds(searchStartMs)} |`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_BUGS }, findNext));
}

async function runSearch({
  hasBug,
  find,
}: {
  readonly hasBug: boolean;
  readonly find: () => Promise<string | undefined>;
}): Promise<{ readonly breach: string; readonly isExpected: boolean }> {
  try {
    const breach = await find();
    return {
      breach: breach?.slice(0, 160).replaceAll(/\s+/g, ' ') ?? 'nothing',
      isExpected: (breach !== undefined) === hasBug,
    };
  } catch (error) {
    return { breach: (error as Error).message.slice(0, 300).replaceAll(/\s+/g, ' '), isExpected: false };
  }
}

function seconds(sinceMs: number): string {
  return `${Math.round((performance.now() - sinceMs) / 1_000)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

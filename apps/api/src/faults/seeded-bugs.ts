import { bursts } from './bursts.js';
import { crashPoints } from './crash-points.js';
import { Rig, type Fixture } from './rig.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';
import { SEEDED_BUGS, type SeededBug } from './seeded-bug-list.js';
import { verify } from './verify.js';

const scenario = (start: string): Scenario['run'] => {
  const found = SCENARIOS.find(({ name }) => name.startsWith(start));
  if (found === undefined) throw new Error(`There is no fault ${start}`);
  return found.run;
};

const RUNS: Readonly<Record<SeededBug['foundBy'], Scenario['run']>> = {
  // The slowest comes first.
  'crash points': crashPoints,
  bursts,
  load: scenario('nothing breaks'),
  refunds: scenario('F10'),
  store: scenario('F8'),
};

export const PARTS = Object.keys(RUNS) as SeededBug['foundBy'][];

/** Longer than the 20 s after which the jobs of a killed worker are free again. */
const SETTLE_MS = 25_000;

/** The first breach without a bug; anything but `undefined` makes the part useless. */
export function foundWithout(fixture: Fixture, part: SeededBug['foundBy']): Promise<string | undefined> {
  return findBreach(fixture, `without_${PARTS.indexOf(part)}`, NO_BUG, part);
}

/** The first breach that shows the bug; `undefined` when nothing does. Throws when the bug cannot be seeded. */
export function caught(fixture: Fixture, bug: SeededBug): Promise<string | undefined> {
  const number = SEEDED_BUGS.indexOf(bug);
  return findBreach(fixture, `seeded_${number}`, number, bug.foundBy);
}

const NO_BUG = -1;

async function findBreach(
  fixture: Fixture,
  database: string,
  bug: number,
  part: SeededBug['foundBy'],
): Promise<string | undefined> {
  const rig = await Rig.open(fixture, database, bug);
  try {
    const { breaches: found = [] } = await RUNS[part](rig);
    return [...found, ...(await verify(rig, SETTLE_MS))][0];
  } catch (error) {
    // A client could not finish its call.
    return (error as Error).message;
  } finally {
    await rig.close();
  }
}

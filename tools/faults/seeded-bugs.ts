import { bursts } from './bursts.js';
import { crashPoints } from './crash-points.js';
import { everyTrick } from './every-trick.js';
import { besieged, bombed, flooded } from './fairness.js';
import { Rig, type Fixture } from './rig.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';
import { SEEDED_BUGS, type SeededBug } from './seeded-bug-list.js';
import { verify } from './verify.js';

const runOf = (namePrefix: string): Scenario['run'] => {
  const scenario = SCENARIOS.find(({ name }) => name.startsWith(namePrefix));
  if (scenario === undefined) throw new Error(`There is no fault ${namePrefix}`);
  return scenario.run;
};

const RUN_BY_PART: Readonly<Record<SeededBug['foundBy'], Scenario['run']>> = {
  // The slowest part starts first, so that the whole run ends early.
  'crash points': crashPoints,
  bursts,
  load: runOf('nothing breaks'),
  refunds: runOf('F10'),
  store: runOf('F8'),
  webhooks: runOf('F25'),
  // Other searches run at the same time and would distort measured times.
  flood: (rig) => flooded(rig, { isTimed: false }),
  'every trick': (rig) => everyTrick(rig, { isTimed: false }),
  strangers: (rig) => besieged(rig, { isTimed: false }),
  bombs: (rig) => bombed(rig, { isTimed: false }),
};

export const PARTS = Object.keys(RUN_BY_PART) as SeededBug['foundBy'][];

/** Longer than the 25 s after which another worker takes over the jobs and endpoints of a killed worker. */
const MAX_PENDING_MS = 40_000;

/** Returns the first breach without a seeded bug. With such a breach, the part cannot prove that it finds bugs. */
export function findBreachWithoutBug(fixture: Fixture, part: SeededBug['foundBy']): Promise<string | undefined> {
  return findBreach(fixture, `without_${PARTS.indexOf(part)}`, { changes: [] }, part);
}

/**
 * Returns the first breach that the bug causes, or `undefined` when the part does not find the bug. Throws when the bug
 * cannot be seeded.
 */
export function findBreachOf(fixture: Fixture, bug: SeededBug): Promise<string | undefined> {
  const number = SEEDED_BUGS.indexOf(bug);
  return findBreach(fixture, `seeded_${number}`, bug, bug.foundBy);
}

async function findBreach(
  fixture: Fixture,
  database: string,
  bug: Pick<SeededBug, 'changes'>,
  part: SeededBug['foundBy'],
): Promise<string | undefined> {
  const rig = await Rig.open(fixture, database, bug);
  try {
    const { breaches = [] } = await RUN_BY_PART[part](rig);
    return [...breaches, ...(await verify(rig, MAX_PENDING_MS))][0];
  } catch (error) {
    // This error is a breach too, because it means that a client could not finish its call.
    return (error as Error).message;
  } finally {
    await rig.close();
  }
}

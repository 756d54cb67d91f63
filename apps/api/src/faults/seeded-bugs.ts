import { bursts } from './bursts.js';
import { crashPoints } from './crash-points.js';
import { Rig, type Ground } from './rig.js';
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
  // The longest comes first.
  'crash points': crashPoints,
  bursts,
  load: scenario('nothing breaks'),
  refunds: scenario('F10'),
  store: scenario('F8'),
};

export const PARTS = Object.keys(RUNS) as SeededBug['foundBy'][];

/** In ms: what never ends is found after so long; the jobs of a killed worker are free again after 20 s. */
const SETTLE_MS = 25_000;

/** What a part finds where no bug is: `undefined`, or it would find anything. */
export function foundWithout(ground: Ground, part: SeededBug['foundBy']): Promise<string | undefined> {
  return seek(ground, `without_${PARTS.indexOf(part)}`, NO_BUG, part);
}

/** The first breach that shows the bug; `undefined` when nothing does. Throws when the bug cannot be seeded. */
export function caught(ground: Ground, bug: SeededBug): Promise<string | undefined> {
  const number = SEEDED_BUGS.indexOf(bug);
  return seek(ground, `seeded_${number}`, number, bug.foundBy);
}

const NO_BUG = -1;

async function seek(
  ground: Ground,
  database: string,
  bug: number,
  part: SeededBug['foundBy'],
): Promise<string | undefined> {
  const rig = await Rig.open(ground, database, bug);
  try {
    const { breaches: seen = [] } = await RUNS[part](rig);
    return [...seen, ...(await verify(rig, SETTLE_MS))][0];
  } catch (error) {
    // What the clients could not bring to its end.
    return (error as Error).message;
  } finally {
    await rig.close();
  }
}

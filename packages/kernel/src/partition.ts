/** The parts identify a partitioned record together with its id. They never change. */
export interface Parts {
  readonly dataPart: number;
  readonly timePart: number;
}

const DATA_PARTS = 64;

/**
 * Returns the parts of a record made at `date`. `randomBelow(n)` returns a whole number from 0 to `n` - 1, like
 * `randomInt`.
 */
export function newParts(date: Date, randomBelow: (limit: number) => number): Parts {
  return { dataPart: randomBelow(DATA_PARTS) + 1, timePart: timePartOf(date) };
}

/** January 2020 is month 0. */
export function timePartOf(date: Date): number {
  return (date.getUTCFullYear() - 2020) * 12 + date.getUTCMonth();
}

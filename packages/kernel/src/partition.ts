/** The parts and the id together identify a partitioned record. The parts never change. */
export interface Parts {
  readonly dataPart: number;
  readonly timePart: number;
}

const DATA_PARTS = 64;

/** Returns the parts of a record created at `date`. `randomBelow(n)` returns a random integer from 0 to `n - 1`. */
export function newParts(date: Date, randomBelow: (limit: number) => number): Parts {
  return { dataPart: randomBelow(DATA_PARTS) + 1, timePart: timePartOf(date) };
}

/** Returns the number of months since January 2020. */
export function timePartOf(date: Date): number {
  return (date.getUTCFullYear() - 2020) * 12 + date.getUTCMonth();
}

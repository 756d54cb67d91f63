/** Names a partitioned record together with its id; never changes. */
export interface Parts {
  readonly dataPart: number;
  readonly timePart: number;
}

const DATA_PARTS = 64;

/** Parts of a record made at `date`. `pick` returns a random whole number from 0 to `choices` - 1, like `randomInt`. */
export function newParts(date: Date, pick: (choices: number) => number): Parts {
  return { dataPart: pick(DATA_PARTS) + 1, timePart: timePartOf(date) };
}

/** Months since January 2020, which is 0. */
export function timePartOf(date: Date): number {
  return (date.getUTCFullYear() - 2020) * 12 + date.getUTCMonth();
}

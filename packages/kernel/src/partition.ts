/** The two numbers that name a partitioned record together with its id; fixed for ever when it is made. */
export interface Parts {
  readonly dataPart: number;
  readonly timePart: number;
}

const DATA_PARTS = 64;

/** The parts of a record that is made at `date`. `pick` answers a whole number from 0 up to, but not including, a bound. */
export function newParts(date: Date, pick: (choices: number) => number): Parts {
  return { dataPart: pick(DATA_PARTS) + 1, timePart: timePartOf(date) };
}

/** Months since January 2020, the first being 0. */
export function timePartOf(date: Date): number {
  return (date.getUTCFullYear() - 2020) * 12 + date.getUTCMonth();
}

/** The two numbers that name a partitioned record together with its id; fixed for ever when it is made. */
export interface Parts {
  readonly dataPart: number;
  readonly timePart: number;
}

/** Months since January 2020, the first being 0. */
export function timePartOf(date: Date): number {
  return (date.getUTCFullYear() - 2020) * 12 + date.getUTCMonth();
}

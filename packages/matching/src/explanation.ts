import type { Identifier, Match } from './match.js';

/** A match as plain data, for whoever sent the row. */
export interface Explanation {
  /** What kind of record was looked for, by the name that the matching table has for it. */
  readonly record: string;
  /** Null when no record was found. */
  readonly identifier: Identifier | null;
  /** Null when no record was found, or when it is one that does not exist yet. */
  readonly id: number | null;
  readonly others: readonly { readonly identifier: Identifier; readonly value: unknown; readonly id: number | null }[];
}

/** Per row of a call, the records that it was looked up for. */
export type Explanations = readonly (readonly Explanation[])[];

export function explanationOf(record: string, match: Match<{ readonly id: number | null }>): Explanation {
  return {
    record,
    identifier: match.identifier ?? null,
    id: match.record?.id ?? null,
    others: match.others.map(({ identifier, value, record: { id } }) => ({ identifier, value, id })),
  };
}

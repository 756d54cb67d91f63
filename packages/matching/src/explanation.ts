import type { Identifier, Match } from './match.js';

export interface Explanation {
  readonly record: string;
  readonly identifier: Identifier | null;
  readonly id: number | null;
  readonly others: readonly { readonly identifier: Identifier; readonly value: unknown; readonly id: number | null }[];
}

export type Explanations = readonly (readonly Explanation[])[];

export function explanationOf(record: string, match: Match<{ readonly id: number | null }>): Explanation {
  return {
    record,
    identifier: match.identifier ?? null,
    id: match.record?.id ?? null,
    others: match.others.map(({ identifier, value, record: { id } }) => ({ identifier, value, id })),
  };
}

export function explanationsOf(
  record: string,
  match: Match<{ readonly id: number | null }> | undefined,
): readonly Explanation[] {
  return match === undefined ? [] : [explanationOf(record, match)];
}

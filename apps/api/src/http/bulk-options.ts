import { parseBoolean, type BulkOptions } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { Type, type TSchema } from '@sinclair/typebox';
import type { Answer } from './answer.js';
import { invalidParameter } from './errors.js';
import type { QueryParameter } from './route.js';
import { integer, listOf, component, nullable, record, text, boolean } from './shapes.js';

export const EXPLAIN: Readonly<Record<'explain', QueryParameter>> = {
  explain: {
    schema: boolean,
    description: 'true: beside `data`, in input order, `explain` says which identifier of each row found which record',
  },
};

export const BULK_OPTIONS: Readonly<Record<'explain' | 'dry_run', QueryParameter>> = {
  ...EXPLAIN,
  dry_run: {
    schema: boolean,
    description: 'true: nothing is written; the answer is what it would have been, without the ids of new records',
  },
};

const identifier = text;

const ExplanationShape = component('Explanation', {
  matches: listOf(
    record({
      record: text,
      identifier: nullable(identifier),
      id: nullable(integer),
      others: listOf(record({ identifier, value: Type.Union([text, integer]), id: nullable(integer) })),
    }),
  ),
});

export function withExplain(data: TSchema) {
  return record({ data, explain: Type.Optional(listOf(ExplanationShape)) });
}

export function okExplained(data: unknown, explanations: Explanations | undefined): Answer {
  const explain = explanations?.map((matches) => ({ matches }));
  return { status: 200, body: { data, ...(explain && { explain }) } };
}

/** Throws 400 for values other than true and false, because a misspelt `dry_run` must not write. */
export function parseBulkOptions(query: Readonly<Record<string, unknown>>): BulkOptions {
  return { explain: parseFlag(query, 'explain'), dryRun: parseFlag(query, 'dry_run') };
}

/** Returns false for an absent parameter; throws 400 for values other than true and false. */
export function parseFlag(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const flag = query[name] === undefined ? false : parseBoolean(query[name]);
  if (flag === undefined) throw invalidParameter(name);
  return flag;
}

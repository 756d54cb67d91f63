import type { TSchema } from '@sinclair/typebox';
import { formatDateTime, LONGEST_STRING, parseMoment, toMinor } from '@back-office/kernel';
import { money, type AppContext } from '../http/app-context.js';
import { IS_INVALID, IS_TOO_LONG, judgeText, MALFORMED, orNull } from '../http/request-fields.js';
import { wrongAmount, wrongFlag, wrongPercentage } from '../http/row-check.js';
import { dateTime, integer, listOf, nullable, number, text, truth } from '../http/shapes.js';

type Schema = Parameters<typeof orNull>[0];
export type Row = Readonly<Record<string, unknown>>;

/** What a field's value may have to be read with: the app, and the row as it will be, sent fields over stored ones. */
export interface Reading {
  readonly app: Pick<AppContext, 'decimals'>;
  readonly row: Row;
}

/** One field of a set-up resource: how it is sent, judged, stored and shown. */
export interface Field {
  readonly sent: Schema;
  readonly shape: TSchema;
  /** The column's type. */
  readonly sql: string;
  /** Stored for a new record when nothing is sent, and whenever null is sent. A field without one is required. */
  readonly initial?: unknown;
  /** What is wrong with a value that is not null, or `undefined`. */
  readonly wrong: (value: unknown, reading: Reading) => string | undefined;
  readonly toStored: (value: unknown, reading: Reading) => unknown;
  readonly toShown: (stored: unknown, reading: Reading) => unknown;
}

const same = (value: unknown): unknown => value;

export function aText(more: Partial<Field> = {}): Field {
  const wrong = (value: unknown): string | undefined => judgeText(value, LONGEST_STRING, 'initial' in more);
  const toStored = (value: unknown): unknown => (typeof value === 'string' && value.trim() === '' ? null : value);
  return {
    sent: { type: 'string', maxLength: LONGEST_STRING },
    shape: text,
    sql: 'text',
    wrong,
    toStored,
    toShown: same,
    ...more,
  };
}

export const optionalText = aText({ initial: null, shape: nullable(text) });

export function oneOf(values: readonly string[]): Field {
  const wrong = (value: unknown): string | undefined => {
    if (typeof value !== 'string') return MALFORMED;
    return values.includes(value) ? undefined : IS_INVALID;
  };
  return {
    sent: { type: 'string', enum: [...values] },
    shape: text,
    sql: 'text',
    wrong,
    toStored: same,
    toShown: same,
  };
}

export function whole(
  { min, max = 2 ** 31 - 1 }: { readonly min: number; readonly max?: number },
  more: Partial<Field> = {},
): Field {
  const wrong = (value: unknown): string | undefined => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    return value >= min && value <= max ? undefined : IS_INVALID;
  };
  const sent: Schema = { type: 'integer', minimum: min };
  return { sent, shape: integer, sql: 'bigint', wrong, toStored: same, toShown: same, ...more };
}

/** Any whole number is well formed, one that no record can have finds nothing. */
export const optionalId = whole({ min: 1, max: Infinity }, { initial: null, shape: nullable(integer) });

/** A number in the app's currency, kept as minor units; at least `min` of these. */
export function amount(min: number, more: Partial<Field> = {}): Field {
  return {
    sent: { type: 'number', minimum: min === 0 ? 0 : undefined, description: 'in the currency of the app' } as Schema,
    shape: number,
    sql: 'bigint',
    wrong: (value, { app }) => wrongAmount(value, app.decimals, min),
    toStored: (value, { app }) => toMinor(Number(value), app.decimals),
    toShown: (stored, { app }) => (stored === null ? null : money(app)(Number(stored))),
    ...more,
  };
}

/** Percent with at most two decimals, kept as basis points; at least `min` of these. */
export function percentage(min: number, more: Partial<Field> = {}): Field {
  return {
    sent: { type: 'number', minimum: 0, maximum: 100, description: 'percent' },
    shape: number,
    sql: 'bigint',
    wrong: (value) => wrongPercentage(value, min),
    toStored: (value) => toMinor(Number(value), 2),
    toShown: (stored) => (stored === null ? null : Number(stored) / 100),
    ...more,
  };
}

export function flag(initial: boolean): Field {
  const sent: Schema = { type: 'boolean' };
  return { sent, shape: truth, sql: 'boolean', initial, wrong: wrongFlag, toStored: same, toShown: same };
}

export const optionalMoment: Field = {
  sent: { type: 'string', description: 'a date or a datetime' },
  shape: nullable(dateTime),
  sql: 'timestamptz',
  initial: null,
  wrong: (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return parseMoment(value) === undefined ? IS_INVALID : undefined;
  },
  toStored: (value) => parseMoment(String(value))?.at,
  toShown: (stored) => (stored === null ? null : formatDateTime(stored as Date)),
};

/** A window, `valid_from` to `valid_until`, that ends before it begins. */
export function endsBeforeItBegins({ valid_from: from, valid_until: until }: Row): boolean {
  return from instanceof Date && until instanceof Date && until < from;
}

const MOST_TEXTS = 10_000;

export const texts: Field = {
  sent: { type: 'array', items: { type: 'string' }, maxItems: MOST_TEXTS },
  shape: listOf(text),
  sql: 'text[]',
  initial: [],
  wrong: (value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MOST_TEXTS) return IS_TOO_LONG;
    return value.map((each) => judgeText(each, LONGEST_STRING, false)).find((wrong) => wrong !== undefined);
  },
  toStored: (value) => [...new Set(value as string[])],
  toShown: same,
};

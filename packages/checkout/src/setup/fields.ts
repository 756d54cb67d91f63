import {
  IS_INVALID,
  IS_TOO_LONG,
  checkText,
  MAX_STRING_LENGTH,
  MALFORMED,
  parseMoment,
  toMinor,
  checkAmount,
  checkFlag,
  checkPercentage,
} from '@back-office/kernel';

export type Row = Readonly<Record<string, unknown>>;

export interface FieldContext {
  readonly app: { readonly decimals: number };
  readonly row: Row;
}

export type FieldType =
  | 'text'
  | 'choice'
  | 'whole'
  | 'amount'
  | 'percentage'
  | 'flag'
  | 'moment'
  | 'texts'
  | 'promotion value'
  | 'pickup points';

export interface Field {
  readonly type: FieldType;
  /** Value for null, and for a missing field of a new record. Without `initial`, the field is required. */
  readonly initial?: unknown;
  /** Minimum in the stored unit: minor units of an amount, basis points of a percentage. */
  readonly min?: number;
  readonly values?: readonly string[];
  /** Returns the message for an invalid value; never receives null. */
  readonly check: (value: unknown, context: FieldContext) => string | undefined;
  readonly toStored: (value: unknown, context: FieldContext) => unknown;
}

type InitialValue = Pick<Field, 'initial'>;

const keepValue = (value: unknown): unknown => value;

export function textField(initialValue: InitialValue = {}): Field {
  const check = (value: unknown): string | undefined => checkText(value, MAX_STRING_LENGTH, 'initial' in initialValue);
  const toStored = (value: unknown): unknown => (typeof value === 'string' && value.trim() === '' ? null : value);
  return { type: 'text', check, toStored, ...initialValue };
}

export function choiceField(values: readonly string[]): Field {
  const check = (value: unknown): string | undefined => {
    if (typeof value !== 'string') return MALFORMED;
    return values.includes(value) ? undefined : IS_INVALID;
  };
  return { type: 'choice', values, check, toStored: keepValue };
}

export function wholeNumberField(
  { min, max = 2 ** 31 - 1 }: { readonly min: number; readonly max?: number },
  initialValue: InitialValue = {},
): Field {
  const check = (value: unknown): string | undefined => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return MALFORMED;
    return value >= min && value <= max ? undefined : IS_INVALID;
  };
  return { type: 'whole', min, check, toStored: keepValue, ...initialValue };
}

export const optionalId = wholeNumberField({ min: 1, max: Infinity }, { initial: null });

/** A number in the app's currency, stored as minor units; `min` is in minor units. */
export function amountField(min: number, initialValue: InitialValue = {}): Field {
  return {
    type: 'amount',
    min,
    check: (value, { app }) => checkAmount(value, app.decimals, min),
    toStored: (value, { app }) => toMinor(Number(value), app.decimals),
    ...initialValue,
  };
}

/** A percentage with at most two decimals, stored as basis points; `min` is in basis points. */
export function percentageField(min: number): Field {
  return {
    type: 'percentage',
    min,
    check: (value) => checkPercentage(value, min),
    toStored: (value) => toMinor(Number(value), 2),
  };
}

export function flagField(initial: boolean): Field {
  return { type: 'flag', initial, check: checkFlag, toStored: keepValue };
}

export const optionalMoment: Field = {
  type: 'moment',
  initial: null,
  check: (value) => {
    if (typeof value !== 'string') return MALFORMED;
    return parseMoment(value) === undefined ? IS_INVALID : undefined;
  },
  toStored: (value) => parseMoment(String(value))?.at,
};

const LAST_MILLISECOND = 24 * 3_600_000 - 1;

/** An inclusive end. A date alone covers its whole day. */
export const optionalEnd: Field = {
  ...optionalMoment,
  toStored: (value) => {
    const moment = parseMoment(String(value));
    return moment?.isDateOnly ? new Date(moment.at.getTime() + LAST_MILLISECOND) : moment?.at;
  },
};

/** A code that people type; null means no code. */
export const optionalCode: Field = { ...textField({ initial: null }), check: textField().check };

export function hasReversedPeriod({ valid_from: from, valid_until: until }: Row): boolean {
  return from instanceof Date && until instanceof Date && until < from;
}

export const MAX_TEXTS = 10_000;

/** Codes of variants, which are stored without outer spaces. */
export const codeListField: Field = {
  type: 'texts',
  initial: [],
  check: (value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MAX_TEXTS) return IS_TOO_LONG;
    return value.map((text) => checkText(text, MAX_STRING_LENGTH, false)).find((rule) => rule !== undefined);
  },
  toStored: (value) => [...new Set((value as string[]).map((text) => text.trim()))],
};

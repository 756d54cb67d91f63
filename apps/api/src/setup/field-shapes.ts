import { money } from '@back-office/apps';
import { MAX_PICKUP_POINTS, MAX_TEXTS, type Field, type FieldType, type FieldContext } from '@back-office/checkout';
import { formatDateTime, MAX_STRING_LENGTH } from '@back-office/kernel';
import type { TSchema } from '@sinclair/typebox';
import { orNull } from '../http/request-fields.js';
import { dateTime, integer, listOf, nullable, number, record, text, boolean } from '../http/shapes.js';

type Schema = Parameters<typeof orNull>[0];

export interface PresentedField {
  readonly requestSchema: Schema;
  readonly responseShape: TSchema;
  readonly present: (stored: unknown, context: FieldContext) => unknown;
}

const presentUnchanged = (value: unknown): unknown => value;

const presentAmount = (value: unknown, { app }: FieldContext): unknown =>
  value === null ? null : money(app)(Number(value));
const presentPercentage = (value: unknown): unknown => (value === null ? null : Number(value) / 100);

const PRESENTED_FIELDS: Readonly<Record<FieldType, (field: Field) => PresentedField>> = {
  text: () => ({
    requestSchema: { type: 'string', maxLength: MAX_STRING_LENGTH },
    responseShape: text,
    present: presentUnchanged,
  }),
  choice: ({ values = [] }) => ({
    requestSchema: { type: 'string', enum: [...values] },
    responseShape: text,
    present: presentUnchanged,
  }),
  whole: ({ min }) => ({
    requestSchema: { type: 'integer', minimum: min } as Schema,
    responseShape: integer,
    present: presentUnchanged,
  }),
  amount: ({ min }) => ({
    requestSchema: {
      type: 'number',
      minimum: min === 0 ? 0 : undefined,
      description: 'in the currency of the app',
    } as Schema,
    responseShape: number,
    present: presentAmount,
  }),
  percentage: () => ({
    requestSchema: { type: 'number', minimum: 0, maximum: 100, description: 'percent' },
    responseShape: number,
    present: presentPercentage,
  }),
  flag: () => ({ requestSchema: { type: 'boolean' }, responseShape: boolean, present: presentUnchanged }),
  moment: () => ({
    requestSchema: { type: 'string', description: 'a date or a datetime' },
    responseShape: dateTime,
    present: (value) => (value === null ? null : formatDateTime(value as Date)),
  }),
  texts: () => ({
    requestSchema: { type: 'array', items: { type: 'string' }, maxItems: MAX_TEXTS },
    responseShape: listOf(text),
    present: presentUnchanged,
  }),
  'promotion value': () => ({
    requestSchema: {
      type: 'number',
      description: 'in the currency for amount, else in percent; default 100 for buy_x_get_y',
    },
    responseShape: number,
    present: (value, context) =>
      context.row['kind'] === 'amount' ? presentAmount(value, context) : presentPercentage(value),
  }),
  'pickup points': () => ({
    requestSchema: {
      type: 'array',
      maxItems: MAX_PICKUP_POINTS,
      items: {
        type: 'object',
        required: ['code', 'name'],
        properties: {
          code: { type: 'string', maxLength: MAX_STRING_LENGTH },
          name: { type: 'string', maxLength: MAX_STRING_LENGTH },
          available: orNull({ type: 'boolean', description: 'default true' }),
        },
      },
    },
    responseShape: listOf(record({ code: text, name: text, available: boolean })),
    present: presentUnchanged,
  }),
};

/**
 * A field without an initial value is nullable. The value of a promotion is an exception, because it is always stored.
 */
export function presentedField(field: Field): PresentedField {
  const presentation = PRESENTED_FIELDS[field.type](field);
  const isNullable = field.initial === null && field.type !== 'promotion value';
  return isNullable ? { ...presentation, responseShape: nullable(presentation.responseShape) } : presentation;
}

import { CANT_BE_BLANK, IS_INVALID, PROMOTION_KINDS } from '@back-office/kernel';
import {
  amountField,
  textField,
  hasReversedPeriod,
  flagField,
  choiceField,
  optionalMoment,
  optionalCode,
  optionalEnd,
  percentageField,
  codeListField,
  wholeNumberField,
  type Field,
  type Row,
} from './fields.js';
import type { BrokenRule } from './resource.js';

const FULL_BASIS_POINTS = 10_000;

const percentageValue = percentageField(1);
const amountValue = amountField(1);
const valueFieldOf = ({ row }: { readonly row: Row }): Field =>
  row['kind'] === 'amount' ? amountValue : percentageValue;

const valueByKind: Field = {
  type: 'promotion value',
  initial: null,
  check: (value, context) => valueFieldOf(context).check(value, context),
  toStored: (value, context) => valueFieldOf(context).toStored(value, context),
};

const optionalPieces = wholeNumberField({ min: 1 }, { initial: null });

const FIELDS = {
  code: textField(),
  name: textField(),
  kind: choiceField(PROMOTION_KINDS),
  value: valueByKind,
  buy_qty: optionalPieces,
  get_qty: optionalPieces,
  min_qty: wholeNumberField({ min: 0 }, { initial: 0 }),
  min_amount: amountField(0, { initial: 0 }),
  variant_codes: codeListField,
  coupon_code: optionalCode,
  valid_from: optionalMoment,
  valid_until: optionalEnd,
  priority: wholeNumberField({ min: -(2 ** 31) }, { initial: 0 }),
  active: flagField(true),
};

export const PROMOTIONS = {
  area: 'Promotions',
  looseCode: 'coupon_code',
  fields: FIELDS,
  finish: applyKindRules,
  sometimesRequired: ['value', 'buy_qty', 'get_qty', 'coupon_code'],
  // Limits the active promotions, because the service evaluates all of them for each line of every basket.
  limits: [
    {
      count: 100,
      where: { active: true, coupon_code: null },
      endColumn: 'valid_until',
      failure: 'API.Promotions.TooManyActive',
    },
    {
      count: 10,
      where: { active: true },
      groupColumn: 'coupon_code',
      endColumn: 'valid_until',
      failure: 'API.Promotions.TooManyWithCoupon',
    },
  ],
};

function applyKindRules(nextRecord: Row, storedRecord: Row | undefined, sentFields: Row): Row | BrokenRule {
  const isKindChanged = storedRecord !== undefined && storedRecord['kind'] !== nextRecord['kind'];
  const isBuyXGetY = nextRecord['kind'] === 'buy_x_get_y';
  const keptValue = isKindChanged && isAbsent(sentFields['value']) ? null : nextRecord['value'];
  const value = keptValue ?? (isBuyXGetY ? FULL_BASIS_POINTS : null);
  if (value === null) return { field: 'value', rule: CANT_BE_BLANK };
  if (hasReversedPeriod(nextRecord)) return { field: 'valid_until', rule: IS_INVALID };
  if (!isBuyXGetY) return { ...nextRecord, value, buy_qty: null, get_qty: null };
  const missingField = ['buy_qty', 'get_qty'].find((field) => nextRecord[field] === null);
  return missingField === undefined ? { ...nextRecord, value } : { field: missingField, rule: CANT_BE_BLANK };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

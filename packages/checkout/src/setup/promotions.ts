import { CANT_BE_BLANK, IS_INVALID, PROMOTION_KINDS } from '@back-office/kernel';
import {
  amount,
  aText,
  hasReversedPeriod,
  flag,
  oneOf,
  optionalMoment,
  optionalText,
  percentage,
  texts,
  whole,
  type Field,
  type Row,
} from './fields.js';
import type { BrokenRule } from './resource.js';

const HUNDRED_PERCENT = 10_000;

const share = percentage(1);
const sum = amount(1);
const kindOf = ({ row }: { readonly row: Row }): Field => (row['kind'] === 'amount' ? sum : share);

const valueByKind: Field = {
  type: 'promotion value',
  initial: null,
  check: (sent, context) => kindOf(context).check(sent, context),
  toStored: (sent, context) => kindOf(context).toStored(sent, context),
};

const pieces = whole({ min: 1 }, { initial: null });

const FIELDS = {
  code: aText(),
  name: aText(),
  kind: oneOf(PROMOTION_KINDS),
  value: valueByKind,
  buy_qty: pieces,
  get_qty: pieces,
  min_qty: whole({ min: 0 }, { initial: 0 }),
  min_amount: amount(0, { initial: 0 }),
  variant_codes: texts,
  coupon_code: optionalText,
  valid_from: optionalMoment,
  valid_until: optionalMoment,
  priority: whole({ min: -(2 ** 31) }, { initial: 0 }),
  active: flag(true),
};

export const PROMOTIONS = {
  area: 'Promotions',
  fields: FIELDS,
  finish: applyKindRules,
  sometimesRequired: ['value', 'buy_qty', 'get_qty'],
  // Every basket evaluates each of them for each line.
  limit: {
    count: 100,
    where: { active: true, coupon_code: null },
    endColumn: 'valid_until',
    failure: 'API.Promotions.TooManyActive',
  },
};

function applyKindRules(next: Row, before: Row | undefined, sent: Row): Row | BrokenRule {
  const changedKind = before !== undefined && before['kind'] !== next['kind'];
  const isFree = next['kind'] === 'buy_x_get_y';
  const given = changedKind && isAbsent(sent['value']) ? null : next['value'];
  const value = given ?? (isFree ? HUNDRED_PERCENT : null);
  if (value === null) return { field: 'value', rule: CANT_BE_BLANK };
  if (hasReversedPeriod(next)) return { field: 'valid_until', rule: IS_INVALID };
  if (!isFree) return { ...next, value, buy_qty: null, get_qty: null };
  const missing = ['buy_qty', 'get_qty'].find((field) => next[field] === null);
  return missing === undefined ? { ...next, value } : { field: missing, rule: CANT_BE_BLANK };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

import { PROMOTION_KINDS } from '@back-office/proforma';
import { CANT_BE_BLANK, IS_INVALID, Unjudged } from '../http/request-fields.js';
import { nullable, number, integer } from '../http/shapes.js';
import {
  amount,
  aText,
  endsBeforeItBegins,
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
import { setUpBody, type Broken, type Resource } from './resource.js';

const WHOLE_PERCENTAGE = 10_000;

const share = percentage(1);
const sum = amount(1);
const kindOf = ({ row }: { readonly row: Row }): Field => (row['kind'] === 'amount' ? sum : share);

/** An amount of the currency or a percentage, as the kind wants it. */
const worthOfKind: Field = {
  sent: { type: 'number', description: 'amount: in the currency; else percent; 100 when absent for buy_x_get_y' },
  shape: number,
  sql: 'bigint',
  initial: null,
  wrong: (sent, reading) => kindOf(reading).wrong(sent, reading),
  toStored: (sent, reading) => kindOf(reading).toStored(sent, reading),
  toShown: (stored, reading) => kindOf(reading).toShown(stored, reading),
};

const pieces = whole({ min: 1 }, { initial: null, shape: nullable(integer), sql: 'int' });

const FIELDS = {
  code: aText(),
  name: aText(),
  kind: oneOf(PROMOTION_KINDS),
  value: worthOfKind,
  buy_qty: pieces,
  get_qty: pieces,
  min_qty: whole({ min: 0 }, { initial: 0 }),
  min_amount: amount(0, { initial: 0 }),
  variant_codes: texts,
  coupon_code: optionalText,
  valid_from: optionalMoment,
  valid_until: optionalMoment,
  priority: whole({ min: -(2 ** 31) }, { initial: 0, sql: 'int' }),
  active: flag(true),
};

class PutPromotions {
  @Unjudged(setUpBody({ fields: FIELDS })) promotions?: unknown;
}

export const PROMOTIONS: Resource = {
  name: 'promotions',
  area: 'Promotions',
  shapeName: 'Promotion',
  what: 'promotions',
  fields: FIELDS,
  body: PutPromotions,
  finish: whatItsKindNeeds,
  sometimesRequired: ['value', 'buy_qty', 'get_qty'],
  // Each of them is worked out for each line of every basket.
  most: {
    count: 100,
    among: { active: true, coupon_code: null },
    ends: 'valid_until',
    failure: 'API.Promotions.TooManyActive',
  },
};

function whatItsKindNeeds(next: Row, before: Row | undefined, sent: Row): Row | Broken {
  const changedKind = before !== undefined && before['kind'] !== next['kind'];
  const isFree = next['kind'] === 'buy_x_get_y';
  const given = changedKind && isAbsent(sent['value']) ? null : next['value'];
  const worth = given ?? (isFree ? WHOLE_PERCENTAGE : null);
  if (worth === null) return { field: 'value', rule: CANT_BE_BLANK };
  if (endsBeforeItBegins(next)) return { field: 'valid_until', rule: IS_INVALID };
  if (!isFree) return { ...next, value: worth, buy_qty: null, get_qty: null };
  const missing = ['buy_qty', 'get_qty'].find((field) => next[field] === null);
  return missing === undefined ? { ...next, value: worth } : { field: missing, rule: CANT_BE_BLANK };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

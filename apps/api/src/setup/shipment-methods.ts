import { LONGEST_STRING } from '@back-office/kernel';
import {
  CANT_BE_BLANK,
  IS_INVALID,
  IS_TOO_LONG,
  judgeText,
  MALFORMED,
  orNull,
  Unjudged,
} from '../http/request-fields.js';
import { listOf, nullable, number, record, text, truth } from '../http/shapes.js';
import { amount, aText, flag, percentage, type Field } from './fields.js';
import { setUpBody, type Resource } from './resource.js';

interface PickupPoint {
  readonly code: string;
  readonly name: string;
  readonly available: boolean;
}

const MOST_POINTS = 10_000;

/** The whole list is replaced: a point that is not sent is gone. */
const pickupPoints: Field = {
  sent: {
    type: 'array',
    maxItems: MOST_POINTS,
    items: {
      type: 'object',
      required: ['code', 'name'],
      properties: {
        code: { type: 'string', maxLength: LONGEST_STRING },
        name: { type: 'string', maxLength: LONGEST_STRING },
        available: orNull({ type: 'boolean', description: 'true unless sent' }),
      },
    },
  },
  shape: listOf(record({ code: text, name: text, available: truth })),
  sql: 'jsonb',
  initial: [],
  wrong: (value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MOST_POINTS) return IS_TOO_LONG;
    const wrong = value.map(wrongPoint).find((rule) => rule !== undefined);
    if (wrong !== undefined) return wrong;
    return new Set(value.map(({ code }) => code as string)).size < value.length ? IS_INVALID : undefined;
  },
  toStored: (value) =>
    (value as PickupPoint[]).map(({ code, name, available }) => ({ code, name, available: available ?? true })),
  toShown: (stored) => stored,
};

function wrongPoint(point: unknown): string | undefined {
  if (typeof point !== 'object' || point === null || Array.isArray(point)) return MALFORMED;
  const { code, name, available = true } = point as Record<string, unknown>;
  if (code === undefined || code === null || name === undefined || name === null) return CANT_BE_BLANK;
  if (typeof available !== 'boolean' && available !== null) return MALFORMED;
  return judgeText(code, LONGEST_STRING, false) ?? judgeText(name, LONGEST_STRING, false);
}

const FIELDS = {
  code: aText(),
  name: aText(),
  price: amount(0),
  vat_rate: percentage(0, { sql: 'int' }),
  free_from: amount(0, { initial: null, shape: nullable(number) }),
  requires_pickup_point: flag(false),
  pickup_points: pickupPoints,
};

class PutShipmentMethods {
  @Unjudged(setUpBody({ fields: FIELDS })) shipment_methods?: unknown;
}

export const SHIPMENT_METHODS: Resource = {
  name: 'shipment_methods',
  area: 'ShipmentMethods',
  shapeName: 'ShipmentMethod',
  what: 'shipment methods',
  fields: FIELDS,
  body: PutShipmentMethods,
};

import { CANT_BE_BLANK, IS_INVALID, IS_TOO_LONG, checkText, MAX_STRING_LENGTH, MALFORMED } from '@back-office/kernel';
import { amountField, textField, flagField, percentageField, type Field } from './fields.js';

interface PickupPoint {
  readonly code: string;
  readonly name: string;
  readonly available: boolean;
}

export const MAX_PICKUP_POINTS = 10_000;

const pickupPoints: Field = {
  type: 'pickup points',
  initial: [],
  check: (value) => {
    if (!Array.isArray(value)) return MALFORMED;
    if (value.length > MAX_PICKUP_POINTS) return IS_TOO_LONG;
    const brokenRule = value.map(checkPoint).find((rule) => rule !== undefined);
    if (brokenRule !== undefined) return brokenRule;
    return new Set(value.map(({ code }) => code as string)).size < value.length ? IS_INVALID : undefined;
  },
  toStored: (value) =>
    (value as PickupPoint[]).map(({ code, name, available }) => ({ code, name, available: available ?? true })),
};

function checkPoint(point: unknown): string | undefined {
  if (typeof point !== 'object' || point === null || Array.isArray(point)) return MALFORMED;
  const { code, name, available = true } = point as Record<string, unknown>;
  if (code === undefined || code === null || name === undefined || name === null) return CANT_BE_BLANK;
  if (typeof available !== 'boolean' && available !== null) return MALFORMED;
  return checkText(code, MAX_STRING_LENGTH, false) ?? checkText(name, MAX_STRING_LENGTH, false);
}

const FIELDS = {
  code: textField(),
  name: textField(),
  price: amountField(0),
  vat_rate: percentageField(0),
  free_from: amountField(0, { initial: null }),
  requires_pickup_point: flagField(false),
  pickup_points: pickupPoints,
};

export const SHIPMENT_METHODS = { area: 'ShipmentMethods', fields: FIELDS };

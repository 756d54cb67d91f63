import { checkTextField, checkUrlField, IS_INVALID, isRow, MALFORMED, MAX_STRING_LENGTH } from '@back-office/kernel';
import type { Shipment } from '@back-office/orders';

export const MAX_SHIPMENTS = 100;
const MAX_PARCELS = 10_000;
const MAX_URL_LENGTH = 2_048;

/** Returns the shipments, the message key of the first error, or `undefined` when the list is absent. */
export function parseTracking(value: unknown): readonly Shipment[] | string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return [];
  if (!Array.isArray(value) || !value.every(isRow)) return MALFORMED;
  if (value.length > MAX_SHIPMENTS) return IS_INVALID;
  for (const shipment of value) {
    const error = checkShipment(shipment);
    if (error !== undefined) return error === MALFORMED ? MALFORMED : IS_INVALID;
  }
  return value.map(toShipment);
}

function checkShipment({ carrier, number, url, parcels }: Readonly<Record<string, unknown>>): string | undefined {
  return (
    checkTextField(carrier, MAX_STRING_LENGTH, false) ??
    checkTextField(number, MAX_STRING_LENGTH, true) ??
    checkUrlField(url, MAX_URL_LENGTH, false) ??
    checkParcels(parcels)
  );
}

function checkParcels(parcels: unknown): string | undefined {
  if (parcels === undefined || parcels === null) return undefined;
  if (typeof parcels !== 'number' || !Number.isInteger(parcels)) return MALFORMED;
  return parcels >= 1 && parcels <= MAX_PARCELS ? undefined : IS_INVALID;
}

function toShipment({ carrier, number, url, parcels }: Readonly<Record<string, unknown>>): Shipment {
  return {
    carrier: (carrier as string | null | undefined) ?? null,
    number: (number as string).trim(),
    url: (url as string | null | undefined) ?? null,
    parcels: (parcels as number | null | undefined) ?? 1,
  };
}

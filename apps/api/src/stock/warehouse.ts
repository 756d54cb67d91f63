import type { DesiredWarehouse, Warehouse } from '@back-office/stock';
import {
  CANT_BE_BLANK,
  formatDateTime,
  isRow,
  MAX_STRING_LENGTH,
  toLookupId,
  MALFORMED,
  rowErrorKey,
  rowErrorKeys,
  checkFlag,
  checkTextField,
} from '@back-office/kernel';
import { dateTime, integer, component, nullable, record, text, boolean, type TypeOf } from '../http/shapes.js';

export const WarehouseShape = component('Warehouse', {
  id: integer,
  code: nullable(text),
  name: text,
  address_line_1: text,
  city: text,
  postcode: text,
  market_id: integer,
  sellable: boolean,
  inserted_at: dateTime,
  updated_at: dateTime,
});
export type WarehouseOut = TypeOf<typeof WarehouseShape>;

/** A new warehouse in a dry run has no id. */
export const WrittenWarehouseShape = record({ ...WarehouseShape.properties, id: nullable(integer) });

export function presentWarehouse<Id extends number | null>(
  warehouse: Omit<Warehouse, 'id'> & { readonly id: Id },
): Omit<WarehouseOut, 'id'> & { readonly id: Id } {
  return {
    id: warehouse.id,
    code: warehouse.code,
    name: warehouse.name,
    address_line_1: warehouse.address_line_1,
    city: warehouse.city,
    postcode: warehouse.postcode,
    market_id: warehouse.market_id,
    sellable: warehouse.sellable,
    inserted_at: formatDateTime(warehouse.inserted_at),
    updated_at: formatDateTime(warehouse.updated_at),
  };
}

const REQUIRED_TEXTS = ['name', 'address_line_1', 'city', 'postcode'] as const;

export const WAREHOUSE_ERROR_KEYS = [
  ...rowErrorKeys('Warehouses', { required: REQUIRED_TEXTS, texts: ['code'] }),
  rowErrorKey('Warehouses', 'market_id', CANT_BE_BLANK),
];

/** Returns the parsed row, or the message key of its first error. */
export function parseWarehouseRow(row: unknown): DesiredWarehouse | string {
  if (!isRow(row)) return rowErrorKey('Warehouses', '', MALFORMED);
  const error = checkWarehouseRow(row);
  if (error !== undefined) return error;
  // Unknown fields are dropped, because they may contain text that the database cannot store.
  const {
    code,
    id,
    name,
    address_line_1,
    city,
    postcode,
    market_id,
    sellable,
    delete: isDeleted,
  } = row as unknown as DesiredWarehouse;
  return {
    code,
    id: id && toLookupId(id),
    name,
    address_line_1,
    city,
    postcode,
    market_id,
    sellable,
    delete: isDeleted,
  };
}

function checkWarehouseRow(row: Readonly<Record<string, unknown>>): string | undefined {
  const flagError = checkFlag(row['delete']) ?? checkFlag(row['sellable']);
  const codeError = checkTextField(row['code'], MAX_STRING_LENGTH, false);
  if (flagError !== undefined || !isOptionalWhole(row['id'])) return rowErrorKey('Warehouses', '', MALFORMED);
  if (codeError !== undefined) return rowErrorKey('Warehouses', 'code', codeError);
  if (row['delete'] === true) return undefined;
  for (const field of REQUIRED_TEXTS) {
    const error = checkTextField(row[field], MAX_STRING_LENGTH, true);
    if (error !== undefined) return rowErrorKey('Warehouses', field, error);
  }
  const market = row['market_id'];
  if (market === undefined || market === null) return rowErrorKey('Warehouses', 'market_id', CANT_BE_BLANK);
  return isMarketId(market) ? undefined : rowErrorKey('Warehouses', '', MALFORMED);
}

function isOptionalWhole(value: unknown): boolean {
  return value === undefined || value === null || Number.isInteger(value);
}

function isMarketId(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}

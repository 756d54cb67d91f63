import { LONGEST_STRING, formatDateTime, lookUpId } from '@back-office/kernel';
import { dateTime, integer, named, nullable, record, text, truth, type Of } from '../http/shapes.js';
import { isRow, rowKey, rowKeys, wrongFlag, wrongText } from '../http/row-check.js';
import { CANT_BE_BLANK, MALFORMED } from '../http/request-fields.js';

export const WarehouseShape = named('Warehouse', {
  id: integer,
  code: nullable(text),
  name: text,
  address_line_1: text,
  city: text,
  postcode: text,
  market_id: integer,
  sellable: truth,
  inserted_at: dateTime,
  updated_at: dateTime,
});
export type WarehouseOut = Of<typeof WarehouseShape>;

export interface WarehouseRow {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
  readonly address_line_1: string;
  readonly city: string;
  readonly postcode: string;
  readonly market_id: number;
  readonly sellable: boolean;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** A warehouse as PUT /warehouse answers it: without an id where a dry run would have made it. */
export const WrittenWarehouseShape = record({ ...WarehouseShape.properties, id: nullable(integer) });

export function presentWarehouse<Id extends number | null>(
  row: Omit<WarehouseRow, 'id'> & { readonly id: Id },
): Omit<WarehouseOut, 'id'> & { readonly id: Id } {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    address_line_1: row.address_line_1,
    city: row.city,
    postcode: row.postcode,
    market_id: row.market_id,
    sellable: row.sellable,
    inserted_at: formatDateTime(row.inserted_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

/** A checked row of PUT /warehouse. */
export interface WarehouseWish {
  readonly code?: string | null | undefined;
  readonly id?: number | null | undefined;
  readonly name: string;
  readonly address_line_1: string;
  readonly city: string;
  readonly postcode: string;
  readonly market_id: number;
  readonly sellable?: boolean | null | undefined;
  readonly delete?: boolean | null | undefined;
}

const REQUIRED = ['name', 'address_line_1', 'city', 'postcode'] as const;

/** All keys by which a row may break a rule by itself. */
export const WAREHOUSE_KEYS = [
  ...rowKeys('Warehouses', { required: REQUIRED, texts: ['code'] }),
  rowKey('Warehouses', 'market_id', CANT_BE_BLANK),
];

/** A row of PUT /warehouse as a wish, or the key of the first rule that it breaks. */
export function warehouseWish(row: unknown): WarehouseWish | string {
  if (!isRow(row)) return rowKey('Warehouses', '', MALFORMED);
  const wrong = wrongWarehouse(row);
  if (wrong !== undefined) return wrong;
  // Nothing else of the row goes on: what nobody has judged may be no text that can be stored.
  const {
    code,
    id,
    name,
    address_line_1,
    city,
    postcode,
    market_id,
    sellable,
    delete: gone,
  } = row as unknown as WarehouseWish;
  return { code, id: id && lookUpId(id), name, address_line_1, city, postcode, market_id, sellable, delete: gone };
}

function wrongWarehouse(row: Readonly<Record<string, unknown>>): string | undefined {
  const flags = wrongFlag(row['delete']) ?? wrongFlag(row['sellable']);
  const code = wrongText(row['code'], LONGEST_STRING, false);
  if (flags !== undefined || !isOptionalWhole(row['id'])) return rowKey('Warehouses', '', MALFORMED);
  if (code !== undefined) return rowKey('Warehouses', 'code', code);
  if (row['delete'] === true) return undefined;
  for (const field of REQUIRED) {
    const wrong = wrongText(row[field], LONGEST_STRING, true);
    if (wrong !== undefined) return rowKey('Warehouses', field, wrong);
  }
  const market = row['market_id'];
  if (market === undefined || market === null) return rowKey('Warehouses', 'market_id', CANT_BE_BLANK);
  return isMarket(market) ? undefined : rowKey('Warehouses', '', MALFORMED);
}

function isOptionalWhole(value: unknown): boolean {
  return value === undefined || value === null || Number.isInteger(value);
}

function isMarket(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}

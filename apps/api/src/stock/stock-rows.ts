import { isQuantity, isRow, MAX_STRING_LENGTH, checkTextField } from '@back-office/kernel';
import { EXPECTED_QTY_DIFFERS, MAX_QUANTITY, type StockQuantity } from '@back-office/stock';

const VARIANT_IDENTIFIERS = ['code', 'barcode', 'external_ref'] as const;

const ROW_ERROR_KEYS = ['VariantNotFound', 'InvalidQty', 'NegativeStock'].map((rule) => `API.Stocks.${rule}`);
export const COUNT_ERROR_KEYS = [...ROW_ERROR_KEYS, EXPECTED_QTY_DIFFERS];
export const STOCK_ERROR_KEYS = [...ROW_ERROR_KEYS, 'API.Stocks.WarehouseNotFound'];

/** Returns the parsed row, or the message key of its first error. */
export function parseStockRow(row: unknown): StockQuantity | string {
  if (!isRow(row) || VARIANT_IDENTIFIERS.some((name) => isInvalidText(row[name]))) return 'API.Stocks.VariantNotFound';
  if (isInvalidText(row['warehouse_code'])) return 'API.Stocks.WarehouseNotFound';
  const minQty = row['min_qty'];
  if (!isStorableQuantity(row['qty'])) return 'API.Stocks.InvalidQty';
  if (minQty !== undefined && minQty !== null && !isCount(minQty)) return 'API.Stocks.InvalidQty';
  const { code, barcode, external_ref, warehouse_code } = row as unknown as StockQuantity;
  return { code, barcode, external_ref, warehouse_code, qty: row['qty'], min_qty: minQty ?? null };
}

/** Returns the parsed row, or the message key of its first error. */
export function parseCountedRow(row: unknown, warehouseCode: string): StockQuantity | string {
  if (!isRow(row) || isInvalidText(row['sku'])) return 'API.Stocks.VariantNotFound';
  const expectedQty = row['expected_qty'] ?? null;
  if (!isCount(row['qty']) || !(expectedQty === null || isCount(expectedQty))) return 'API.Stocks.InvalidQty';
  const { sku } = row as { readonly sku?: string | null };
  return { code: sku, warehouse_code: warehouseCode, qty: row['qty'], expected_qty: expectedQty };
}

/** Returns the field of a row that the message key is about; `undefined` when it is about several fields. */
export function fieldOfStockError(row: unknown, key: string): string | undefined {
  if (key === 'API.Stocks.WarehouseNotFound') return 'warehouse_code';
  if (key === 'API.Stocks.NegativeStock') return 'qty';
  if (key === EXPECTED_QTY_DIFFERS) return 'expected_qty';
  if (key !== 'API.Stocks.InvalidQty' || !isRow(row)) return undefined;
  const { qty, min_qty: minQty, expected_qty: expectedQty } = row;
  if (isStorableQuantity(qty) && minQty !== undefined) return 'min_qty';
  return isCount(qty) && expectedQty !== undefined ? 'expected_qty' : 'qty';
}

function isStorableQuantity(value: unknown): value is number {
  return isQuantity(value) && Math.abs(value) <= MAX_QUANTITY;
}

function isCount(value: unknown): value is number {
  return isStorableQuantity(value) && value >= 0;
}

/**
 * Whether an identifier is invalid. It then fails the row, even when another identifier of the row would find a record.
 */
function isInvalidText(value: unknown): boolean {
  return checkTextField(value, MAX_STRING_LENGTH, false) !== undefined;
}

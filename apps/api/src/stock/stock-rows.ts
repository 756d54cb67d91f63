import { isQuantity, isRow, MAX_STRING_LENGTH, checkTextField } from '@back-office/kernel';
import { MAX_QUANTITY, type StockQuantity } from '@back-office/stock';

const VARIANT_IDENTIFIERS = ['code', 'barcode', 'external_ref'] as const;

/** All message keys with which a counted row can fail. */
export const COUNT_KEYS = ['VariantNotFound', 'InvalidQty', 'NegativeStock'].map((rule) => `API.Stocks.${rule}`);
/** All message keys with which a row of added stock can fail. */
export const STOCK_KEYS = [...COUNT_KEYS, 'API.Stocks.WarehouseNotFound'];

/** Parses a row of PUT /int/stocks, or returns the message key of its failure. */
export function parseStockRow(row: unknown): StockQuantity | string {
  if (!isRow(row) || VARIANT_IDENTIFIERS.some((name) => isUnusable(row[name]))) return 'API.Stocks.VariantNotFound';
  if (isUnusable(row['warehouse_code'])) return 'API.Stocks.WarehouseNotFound';
  const minQty = row['min_qty'];
  if (!isUsable(row['qty'])) return 'API.Stocks.InvalidQty';
  if (minQty !== undefined && minQty !== null && !isCount(minQty)) return 'API.Stocks.InvalidQty';
  const { code, barcode, external_ref, warehouse_code } = row as unknown as StockQuantity;
  return { code, barcode, external_ref, warehouse_code, qty: row['qty'], min_qty: minQty ?? null };
}

/** Parses a row of POST /stock/reconcile, or returns the message key of its failure. */
export function parseCountedRow(row: unknown, warehouseCode: string): StockQuantity | string {
  if (!isRow(row) || isUnusable(row['sku'])) return 'API.Stocks.VariantNotFound';
  if (!isCount(row['qty'])) return 'API.Stocks.InvalidQty';
  return { code: row['sku'] as string | null | undefined, warehouse_code: warehouseCode, qty: row['qty'] };
}

function isUsable(value: unknown): value is number {
  return isQuantity(value) && Math.abs(value) <= MAX_QUANTITY;
}

function isCount(value: unknown): value is number {
  return isUsable(value) && value >= 0;
}

/** Such an identifier fails the row, even when the next one would find a record. */
function isUnusable(value: unknown): boolean {
  return checkTextField(value, MAX_STRING_LENGTH, false) !== undefined;
}

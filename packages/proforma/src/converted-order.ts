import { buyerColumns, columnsOf, SALE_TERMS, totalColumns, type Parts } from '@back-office/kernel';
import { keptFees } from './pricing.js';
import type { Conversion, Proforma, ProformaLine } from './proforma.js';

const LINE_COLUMNS = [
  'product_id',
  'code',
  'barcode',
  'name',
  'price',
  'vat_rate',
  'sales',
  'discount',
  'promotions',
  'warehouse_id',
  'warehouse_code',
] as const;

export function convertedOrder(proforma: Proforma, parts: Parts) {
  const { buyer, converted } = proforma;
  const convertedAt = proforma.convertedAt as Date;
  return {
    data_part: buyer.dataPart ?? parts.dataPart,
    ...columnsOf(proforma, SALE_TERMS),
    ...totalColumns(proforma),
    ...buyerColumns(buyer),
    time_part: buyer.timePart ?? parts.timePart,
    order_number: (converted as Conversion).orderNumber,
    order_date: convertedAt,
    fees: keptFees(proforma).map(({ id: _id, qtyConfirmed, ...fee }) => ({ ...fee, qty: qtyConfirmed ?? fee.qty })),
    proforma_order_id: proforma.id,
    proforma_number: proforma.number,
    inserted_at: convertedAt,
    updated_at: convertedAt,
  };
}

export function convertedItems({ lines }: Pick<Proforma, 'lines'>) {
  return lines.filter((line) => line.qtyConfirmed !== 0).map(itemOf);
}

function itemOf(line: ProformaLine) {
  const { id, variantId, qtyConfirmed, qty } = line;
  return {
    proforma_item_id: id,
    ...columnsOf(line, LINE_COLUMNS),
    product_variant_id: variantId,
    qty: qtyConfirmed ?? qty,
  };
}

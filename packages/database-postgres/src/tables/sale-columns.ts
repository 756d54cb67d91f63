import type {
  Address,
  AppliedPromotion,
  BuyerColumns,
  FeeLine,
  NoteColumns,
  SaleTermColumns,
  TotalColumns,
} from '@back-office/kernel';
import type { Column } from './columns.js';
import { bigint, integer, jsonb, text, texts } from './columns.js';

type ColumnsFor<Row> = { readonly [Name in keyof Row]: Column<Row[Name]> };

type EditableTerm = keyof NoteColumns | 'tags';

export const FROZEN_TERMS: ColumnsFor<Omit<SaleTermColumns, EditableTerm>> = {
  currency: text(),
  delivery: jsonb<Address>().nullable(),
  shipment_method_code: text().nullable(),
  pickup_point_code: text().nullable(),
  market_id: integer(),
  sales_channel_id: integer(),
  sales_channel: text(),
};

export const EDITABLE_TERMS: ColumnsFor<Pick<SaleTermColumns, EditableTerm>> = {
  comment: text().nullable(),
  tags: texts().default([]),
};

export const TERM_COLUMNS: ColumnsFor<SaleTermColumns> = { ...FROZEN_TERMS, ...EDITABLE_TERMS };

export const TOTAL_COLUMNS: ColumnsFor<TotalColumns> = {
  sales: bigint(),
  discount: bigint(),
  net_sales: bigint(),
  vat: bigint(),
  end_sales: bigint(),
};

export const BUYER_COLUMNS: ColumnsFor<BuyerColumns> = {
  customer_id: bigint().nullable(),
  customer_email: text().nullable(),
  customer_first_name: text().nullable(),
  customer_last_name: text().nullable(),
  customer_phone: text().nullable(),
};

export const fees = (): Column<readonly FeeLine[]> => jsonb();

export const LINE_COLUMNS = {
  position: integer(),
  product_id: bigint(),
  product_variant_id: bigint(),
  code: text().nullable(),
  barcode: text().nullable(),
  name: text(),
  qty: bigint(),
  price: bigint(),
  sales: bigint(),
  discount: bigint(),
  promotions: jsonb<readonly AppliedPromotion[]>().default([]),
  warehouse_code: text().nullable(),
};

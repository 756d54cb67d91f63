import type { Guard } from '../http/route.js';
import * as domain from '@back-office/proforma';
import {
  anyObject,
  dateTime,
  integer,
  listOf,
  component,
  nullable,
  number,
  oneOf,
  record,
  text,
  boolean,
  type TypeOf,
} from '../http/shapes.js';
import * as sale from '../sales/index.js';

const commonFields = {
  id: integer,
  proforma_number: text,
  transaction_reference: text,
  proforma_status_id: integer,
  proforma_status_color: text,
  proforma_status_final: boolean,
  processing_date: dateTime,
  expires_at: dateTime,
  expires_in_seconds: integer,
  customer_id: nullable(integer),
  customer_data_part: nullable(integer),
  customer_time_part: nullable(integer),
  customer_email: nullable(text),
  customer_first_name: nullable(text),
  customer_last_name: nullable(text),
  anonymous: boolean,
  sales: number,
  discount: number,
  net_sales: number,
  vat: number,
  end_sales: number,
  paid: number,
  debt: number,
  market_id: integer,
  currency_id: integer,
  sales_channel_id: integer,
  sales_channel: text,
  warehouse_confirmed_at: nullable(dateTime),
  converted_at: nullable(dateTime),
  order_id: nullable(integer),
  order_data_part: nullable(integer),
  order_time_part: nullable(integer),
  canceled: boolean,
  canceled_at: nullable(dateTime),
  cancel_reason: nullable(text),
  tags: listOf(text),
  alerts_count: integer,
  open_alerts_count: integer,
  inserted_at: dateTime,
  updated_at: dateTime,
};

export const CommonShape = record(commonFields);

export const ProformaListShape = component('ProformaInList', {
  ...commonFields,
  proforma_status_name: oneOf(domain.STATUSES),
});

export const ItemShape = record({
  proforma_order_item_id: integer,
  product_id: integer,
  product_variant_id: integer,
  code: nullable(text),
  barcode: nullable(text),
  name: text,
  qty: integer,
  qty_confirmed: nullable(integer),
  price: number,
  vat_rate: nullable(number),
  sales: number,
  discount: number,
  end_sales: number,
  promotions: listOf(sale.PromotionShape),
  warehouse_code: nullable(text),
});

export const ProformaFeeShape = record({
  proforma_order_item_id: integer,
  ...sale.FeeItemShape.properties,
  qty_confirmed: nullable(integer),
});

export const InstructionsShape = record({
  beneficiary: text,
  address: text,
  bank_account: text,
  amount: number,
  currency: text,
  purpose: text,
  payment_code: text,
  model: text,
  reference: text,
  qr: nullable(text),
});

export const AlertShape = record({
  index: integer,
  kind: text,
  message: text,
  details: anyObject,
  resolved: boolean,
  resolved_at: nullable(dateTime),
  inserted_at: dateTime,
});

export const ProformaShape = component('Proforma', {
  ...commonFields,
  proforma_status: oneOf(domain.STATUSES),
  order_processing_id: integer,
  customer_phone: nullable(text),
  items: listOf(ItemShape),
  fee_items: listOf(ProformaFeeShape),
  payments: listOf(sale.PaymentShape),
  payment_instructions: InstructionsShape,
  tax_brackets: listOf(sale.TaxBracketShape),
  delivery_area: sale.DeliveryAreaShape,
  alerts: listOf(AlertShape),
  ...sale.noteShapes,
  converted_order_number: nullable(text),
});
export type ProformaOut = TypeOf<typeof ProformaShape>;

export const OneProformaShape = record({ data: ProformaShape });

export const PROFORMA_GUARD: Guard = { kind: 'proforma', shownBy: '/proforma_orders/:id' };

export const FINAL_REFUSAL = domain.ALREADY_FINAL.refused;

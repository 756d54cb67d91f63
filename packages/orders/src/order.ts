import type {
  AppliedPromotion,
  BuyerColumns,
  FeeLine,
  PaymentStatus,
  SaleTermColumns,
  TotalColumns,
} from '@back-office/kernel';
import { DELIVERY_STATUSES, ORDER_STATUSES, statusIdIn } from './order-status.js';

/** Parcels that one carrier carries under one tracking number. */
export interface Shipment {
  readonly carrier: string | null;
  readonly number: string;
  readonly url: string | null;
  readonly parcels: number;
}

/** The amounts are minor units; status ids start at 1. */
export interface Order extends BuyerColumns, SaleTermColumns, TotalColumns {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly order_number: string;
  readonly order_date: Date;
  readonly invoice_number: string | null;
  readonly external_ref: string | null;
  readonly order_status_id: number;
  readonly payment_status_id: number;
  readonly delivery_status_id: number;
  readonly tracking: readonly Shipment[];
  readonly app_location_id: number | null;
  readonly paid: number;
  readonly debt: number;
  readonly proforma_order_id: number | null;
  readonly proforma_number: string | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
  readonly fees: readonly FeeLine[];
  readonly items: readonly OrderItem[];
  readonly payments: readonly OrderPayment[] | null;
}

export interface ImportedColumns {
  readonly external_ref: string;
}

export const IMPORTED_COLUMNS = ['external_ref'] as const satisfies readonly (keyof ImportedColumns)[];

export const DEFAULT_ORDER_COLUMNS = {
  invoice_number: null,
  external_ref: null,
  order_status_id: statusIdIn(ORDER_STATUSES, 'open'),
  delivery_status_id: statusIdIn(DELIVERY_STATUSES, 'pending'),
  tracking: [],
  app_location_id: null,
  proforma_order_id: null,
  proforma_number: null,
  fees: [],
} satisfies Partial<Order>;

export const ORDER_FIELDS = [
  'id',
  'data_part',
  'time_part',
  'order_number',
  'order_date',
  'invoice_number',
  'external_ref',
  'order_status_id',
  'order_status',
  'payment_status_id',
  'payment_status',
  'delivery_status_id',
  'delivery_status',
  'tracking',
  'customer_id',
  'customer_email',
  'customer_first_name',
  'customer_last_name',
  'customer_phone',
  'app_location_id',
  'sales',
  'discount',
  'net_sales',
  'vat',
  'end_sales',
  'paid',
  'debt',
  'market_id',
  'currency_id',
  'sales_channel_id',
  'sales_channel',
  'proforma_order_id',
  'proforma_number',
  'comment',
  'tags',
  'inserted_at',
  'updated_at',
] as const;

export interface OrderItem {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly vat_rate: number | null;
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
  readonly warehouse_code: string | null;
}

export interface OrderPayment {
  readonly id: number;
  readonly amount: number;
  readonly method: string;
  readonly payment_method_id: number | null;
  readonly status: PaymentStatus;
  readonly paid_at: string;
  readonly refund_of: number | null;
  readonly external_ref: string | null;
  readonly received_at: string | null;
  readonly payer: { readonly name: string | null; readonly account: string | null } | null;
}

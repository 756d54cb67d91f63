import {
  type Address,
  type AppliedPromotion,
  columnsOf,
  type FeeLine,
  type Fields,
  formatDateTime,
  formatOptional,
  fromMinor,
  type NoteColumns,
  SALE_NOTES,
  type TaxBracket,
  type VatRate,
} from '@back-office/kernel';
import { isFinalized, type Payment, type PaymentSource } from '@back-office/proforma';
import { dateTime, integer, nullable, number, record, text, boolean, type TypeOf } from '../http/shapes.js';

export const PromotionShape = record({ code: text, name: text, amount: number });

export const FeeItemShape = record({
  kind: text,
  name: text,
  qty: integer,
  price: number,
  vat_rate: nullable(number),
  sales: number,
  discount: number,
  end_sales: number,
});

export const PaymentShape = record({
  id: integer,
  amount: number,
  payment_method: text,
  payment_method_id: nullable(integer),
  payment_status: text,
  payment_date: dateTime,
  finalized: boolean,
  external_ref: nullable(text),
  paid_at: nullable(dateTime),
  payer: nullable(record({ name: nullable(text), account: nullable(text) })),
});

export const TaxBracketShape = record({ vat_rate: number, net: number, vat: number, gross: number });

export const DeliveryAreaShape = record({
  address_line_1: nullable(text),
  city: nullable(text),
  postcode: nullable(text),
  country: nullable(text),
  shipment_method_code: nullable(text),
  pickup_point_code: nullable(text),
});

export const noteShapes = Object.fromEntries(SALE_NOTES.map((note) => [note, nullable(text)])) as {
  readonly [Note in keyof NoteColumns]: ReturnType<typeof nullable<typeof text>>;
};

export function presentNotes(sale: Fields<NoteColumns>): NoteColumns {
  return columnsOf(sale, SALE_NOTES);
}

/** Converts basis points to percent: 2000 becomes 20. */
export function toPercent(vatRate: number): number;
export function toPercent(vatRate: VatRate): number | null;
export function toPercent(vatRate: VatRate): number | null {
  return vatRate === null ? null : fromMinor(vatRate, 2);
}

type Money = (minor: number) => number;

export function presentPromotion(
  { code, name, amount }: AppliedPromotion,
  money: Money,
): TypeOf<typeof PromotionShape> {
  return { code, name, amount: money(amount) };
}

export function presentFee(fee: FeeLine, money: Money): TypeOf<typeof FeeItemShape> {
  return {
    kind: fee.kind,
    name: fee.name,
    qty: fee.qty,
    price: money(fee.price),
    vat_rate: toPercent(fee.vatRate),
    sales: money(fee.sales),
    discount: money(fee.discount),
    end_sales: money(fee.sales - fee.discount),
  };
}

export type PresentedPayment = Pick<Payment, 'id' | 'amount' | 'method' | 'methodId' | 'status' | 'date'> &
  PaymentSource;

export function presentPayment(payment: PresentedPayment, money: Money): TypeOf<typeof PaymentShape> {
  return {
    id: payment.id,
    amount: money(payment.amount),
    payment_method: payment.method,
    payment_method_id: payment.methodId,
    payment_status: payment.status,
    payment_date: formatDateTime(payment.date),
    finalized: isFinalized(payment),
    external_ref: payment.externalRef,
    paid_at: formatOptional(payment.receivedAt),
    payer: payment.payer && { name: payment.payer.name, account: payment.payer.account },
  };
}

export function presentBracket(bracket: TaxBracket, money: Money): TypeOf<typeof TaxBracketShape> {
  const { vatRate, net, vat, gross } = bracket;
  return { vat_rate: toPercent(vatRate), net: money(net), vat: money(vat), gross: money(gross) };
}

export interface DeliveryTerms {
  readonly delivery: Address | null;
  readonly shipmentMethodCode: string | null;
  readonly pickupPointCode: string | null;
}

export function presentDeliveryArea({
  delivery,
  shipmentMethodCode,
  pickupPointCode,
}: DeliveryTerms): TypeOf<typeof DeliveryAreaShape> {
  return {
    address_line_1: delivery?.address_line_1 ?? null,
    city: delivery?.city ?? null,
    postcode: delivery?.postcode ?? null,
    country: delivery?.country ?? null,
    shipment_method_code: shipmentMethodCode,
    pickup_point_code: pickupPointCode,
  };
}

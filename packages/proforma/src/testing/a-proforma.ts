import { addHours, defaultTerms, type PaymentMethod, totalsOf } from '@back-office/kernel';
import {
  confirmFee,
  isFinal,
  NO_SOURCE,
  type Alert,
  type Payment,
  type Proforma,
  type ProformaLine,
  type ProformaStatus,
} from '../index.js';

/** {@link aProforma} is created an hour before this time and expires 72 hours after its creation. */
export const NOW = new Date('2026-03-02T12:00:00Z');
const MADE_AT = addHours(NOW, -1);

export type Trait<Record> = (record: Record) => Record;

/**
 * Applies the traits in order and calculates the totals. Without traits, returns an unpaid draft with one line: 3
 * pieces at 1,000 with 20 % VAT.
 */
export function aProforma(...traits: readonly Trait<Proforma>[]): Proforma {
  const base = traits.reduce((proforma, trait) => trait(proforma), EMPTY_PROFORMA);
  const { lines, fees } = base.lines.length === 0 ? line()(base) : base;
  const originalTotals = {
    originalEndSales: totalsOf([...lines.map(asRequested), ...fees]).endSales,
  };
  const isEmpty = lines.every((requestedLine) => requestedLine.qtyConfirmed === 0);
  const confirmedFees = isEmpty ? fees.map((shippingFee) => confirmFee(shippingFee, 0)) : fees;
  return { ...base, lines, ...originalTotals, fees: confirmedFees, ...totalsOf([...lines, ...confirmedFees]) };
}

export function line(overrides: Partial<ProformaLine> = {}): Trait<Proforma> {
  return (proforma) => {
    const id = proforma.lines.length + 1;
    const defaults = {
      ...LINE,
      id,
      productId: 10 + id,
      variantId: 100 + id,
      code: `CODE-${id}`,
      name: `Product ${id}`,
    };
    const addedLine = { ...defaults, ...overrides };
    const sales = addedLine.price * (addedLine.qtyConfirmed ?? addedLine.qty);
    return { ...proforma, lines: [...proforma.lines, { ...addedLine, sales }] };
  };
}

export function fee(price: number, vatRate = 2000): Trait<Proforma> {
  const courier = { kind: 'shipment', name: 'Courier', qty: 1, price, vatRate, sales: price, discount: 0 };
  return (proforma) => {
    const id = 901 + proforma.fees.length;
    return { ...proforma, fees: [...proforma.fees, { ...courier, id, qtyConfirmed: null }] };
  };
}

export function payment(overrides: Partial<Payment>): Trait<Proforma> {
  return (proforma) => {
    const id = proforma.payments.length + 1;
    const date = new Date(MADE_AT.getTime() + id * 60_000);
    return { ...proforma, payments: [...proforma.payments, { ...PAYMENT, id, date, ...overrides }] };
  };
}

export function bankPayment(amount: number): Trait<Proforma> {
  return payment({ amount });
}

export function voucherPayment(amount: number, voucherId = 500): Trait<Proforma> {
  return payment({ amount, method: 'voucher', methodId: null, kind: 'voucher', voucherId });
}

export function refund(refundOf: number, amount: number, status: Payment['status'] = 'pending'): Trait<Proforma> {
  return payment({ amount: -amount, refundOf, status });
}

export function inStatus(status: ProformaStatus): Trait<Proforma> {
  return (proforma) => ({
    ...proforma,
    status,
    ...(status === 'converted' && {
      convertedAt: MADE_AT,
      orderId: 9,
      converted: {
        payments: proforma.payments,
        orderNumber: 'O-2026-12345678',
        points: 0,
        isOrderPayable: true,
        isOrderCanceled: false,
        orderParts: { dataPart: 3, timePart: 71 },
      },
    }),
    ...(isFinal(status) && status !== 'converted' && { canceledAt: MADE_AT, cancelReason: status }),
  });
}

export function withAlertOfKind(kind: Alert['kind'], resolvedAt: Date | null = null): Trait<Proforma> {
  const alert: Alert = { kind, message: 'Look at this', details: {}, resolvedAt, insertedAt: MADE_AT };
  return (proforma) => ({ ...proforma, alerts: [...proforma.alerts, alert] });
}

export function withTags(...tags: readonly string[]): Trait<Proforma> {
  return (proforma) => ({ ...proforma, tags });
}

export function withComment(comment: string): Trait<Proforma> {
  return (proforma) => ({ ...proforma, comment });
}

export function withDeadline(expiresAt: Date): Trait<Proforma> {
  return (proforma) => ({ ...proforma, expiresAt });
}

export const CASH: PaymentMethod = { id: 1, name: 'Cash', kind: 'cash' };
export const BANK: PaymentMethod = { id: 2, name: 'Bank transfer', kind: 'bank_transfer' };
export const CARD: PaymentMethod = { id: 3, name: 'Card', kind: 'card' };

const PAYMENT: Omit<Payment, 'id' | 'date'> = {
  amount: 0,
  method: BANK.name,
  methodId: BANK.id,
  kind: BANK.kind,
  status: 'settled',
  refundOf: null,
  reference: null,
  voucherId: null,
  keyPart: null,
  ...NO_SOURCE,
};

const LINE: Omit<ProformaLine, 'id' | 'productId' | 'variantId' | 'code' | 'name'> = {
  barcode: null,
  qty: 3,
  qtyConfirmed: null,
  price: 1000,
  vatRate: 2000,
  sales: 3000,
  discount: 0,
  promotions: [],
  warehouseId: 1,
  warehouseCode: 'W1',
};

const EMPTY_PROFORMA: Proforma = {
  ...defaultTerms(),
  id: 5,
  number: 'P-2026-7K2M9Q',
  evaluationId: 50,
  processingDate: MADE_AT,
  expiresAt: addHours(MADE_AT, 72),
  buyer: {
    id: 77,
    dataPart: 3,
    timePart: 70,
    email: 'ana@example.com',
    firstName: 'Ana',
    lastName: 'Kovačević',
    phone: '+381601112223',
  },
  delivery: { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000', country: 'RS' },
  currency: 'RSD',
  originalEndSales: 0,
  promotions: [],
  insertedAt: MADE_AT,
  sales: 0,
  discount: 0,
  netSales: 0,
  vat: 0,
  endSales: 0,
  status: 'draft',
  lines: [],
  fees: [],
  payments: [],
  alerts: [],
  warehouseConfirmedAt: null,
  convertedAt: null,
  converted: null,
  orderId: null,
  canceledAt: null,
  cancelReason: null,
  updatedAt: MADE_AT,
};

function asRequested(proformaLine: ProformaLine): ProformaLine {
  return { ...proformaLine, sales: proformaLine.price * proformaLine.qty };
}

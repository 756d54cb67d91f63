import { addHours, defaultTerms, type FeeLine, type PaymentMethod, totalsOf } from '@back-office/kernel';
import { isFinal, type Alert, type Payment, type Proforma, type ProformaLine, type ProformaStatus } from '../index.js';

/** Time of the tests. {@link aProforma} is made an hour before and lives for 72 hours. */
export const NOW = new Date('2026-03-02T12:00:00Z');
const MADE = addHours(NOW, -1);

export type Fact<Record> = (record: Record) => Record;

/**
 * Applies the facts in order and calculates the totals. Without facts, an unpaid draft with one line: 3 pieces at 1,000
 * with 20 % VAT.
 */
export function aProforma(...facts: readonly Fact<Proforma>[]): Proforma {
  const described = facts.reduce((proforma, fact) => fact(proforma), EMPTY);
  const { lines, fees } = described.lines.length === 0 ? line()(described) : described;
  const original = { originalFees: fees, originalEndSales: totalsOf([...lines.map(asRequested), ...fees]).endSales };
  const kept = lines.every((each) => each.qtyConfirmed === 0) ? [] : fees;
  return { ...described, lines, ...original, fees: kept, ...totalsOf([...lines, ...kept]) };
}

/** Lines get the ids 1, 2, 3 … and a variant each. */
export function line(more: Partial<ProformaLine> = {}): Fact<Proforma> {
  return (proforma) => {
    const id = proforma.lines.length + 1;
    const wanted = { ...LINE, id, productId: 10 + id, variantId: 100 + id, code: `CODE-${id}`, name: `Product ${id}` };
    const added = { ...wanted, ...more };
    const sales = added.price * (added.qtyConfirmed ?? added.qty);
    return { ...proforma, lines: [...proforma.lines, { ...added, sales }] };
  };
}

export function fee(price: number, vatRate = 2000): Fact<Proforma> {
  const fees: FeeLine[] = [{ kind: 'shipment', name: 'Courier', qty: 1, price, vatRate, sales: price, discount: 0 }];
  return (proforma) => ({ ...proforma, fees: [...proforma.fees, ...fees] });
}

/** Payments get the ids 1, 2, 3 … and are a minute apart. */
export function payment(more: Partial<Payment>): Fact<Proforma> {
  return (proforma) => {
    const id = proforma.payments.length + 1;
    const date = new Date(MADE.getTime() + id * 60_000);
    return { ...proforma, payments: [...proforma.payments, { ...PAYMENT, id, date, ...more }] };
  };
}

export function paid(amount: number): Fact<Proforma> {
  return payment({ amount });
}

export function paidByVoucher(amount: number, voucherId = 500): Fact<Proforma> {
  return payment({ amount, method: 'voucher', methodId: null, kind: 'voucher', voucherId });
}

export function refund(refundOf: number, amount: number, status: Payment['status'] = 'pending'): Fact<Proforma> {
  return payment({ amount: -amount, refundOf, status });
}

export function inStatus(status: ProformaStatus): Fact<Proforma> {
  return (proforma) => ({
    ...proforma,
    status,
    ...(status === 'converted' && {
      convertedAt: MADE,
      orderId: 9,
      converted: { payments: proforma.payments, orderNumber: 'O-2026-12345678', points: 0, isOrderPayable: true },
    }),
    ...(isFinal(status) && status !== 'converted' && { canceledAt: MADE, cancelReason: status }),
  });
}

export function alerted(kind: Alert['kind'], resolvedAt: Date | null = null): Fact<Proforma> {
  const alert: Alert = { kind, message: 'Look at this', details: {}, resolvedAt, insertedAt: MADE };
  return (proforma) => ({ ...proforma, alerts: [...proforma.alerts, alert] });
}

export function tagged(...tags: readonly string[]): Fact<Proforma> {
  return (proforma) => ({ ...proforma, tags });
}

export function commented(comment: string): Fact<Proforma> {
  return (proforma) => ({ ...proforma, comment });
}

export function expiring(expiresAt: Date): Fact<Proforma> {
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

const EMPTY: Proforma = {
  ...defaultTerms(),
  id: 5,
  number: 'P-2026-7K2M9Q',
  evaluationId: 50,
  processingDate: MADE,
  expiresAt: addHours(MADE, 72),
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
  originalFees: [],
  originalEndSales: 0,
  promotions: [],
  insertedAt: MADE,
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
  updatedAt: MADE,
};

function asRequested(each: ProformaLine): ProformaLine {
  return { ...each, sales: each.price * each.qty };
}

import { type DomainEvent } from '@back-office/kernel';
import {
  aProforma,
  bankPayment,
  inStatus,
  line,
  NOW,
  payment,
  refund,
  voucherPayment,
  withAlertOfKind,
  type Trait,
} from './testing/index.js';
import { createdProformaEvents, proformaEvents, takenPointsEvents } from './proforma-events.js';
import type { Proforma } from './proforma.js';

const typesOf = (events: readonly DomainEvent[]) => events.map(({ type }) => type);
const eventsOf = (traits: readonly Trait<Proforma>[], ...added: readonly Trait<Proforma>[]) => {
  const before = aProforma(...traits);
  return proformaEvents([{ before, after: added.reduce((proforma, trait) => trait(proforma), before) }]);
};

describe('the events of a new proforma', () => {
  const shelves = [
    line({ variantId: 7, warehouseId: 2 }),
    line({ variantId: 5 }),
    line({ variantId: 7, warehouseId: 2 }),
  ];

  it('report its creation, and each changed shelf once', () => {
    const events = createdProformaEvents(aProforma(...shelves));
    expect(events[0]).toEqual({ type: 'proforma.created', recordId: null });
    expect(events.slice(1).map(({ type, recordId }) => [type, recordId])).toEqual([
      ['stock.changed', 5],
      ['stock.changed', 7],
    ]);
  });

  it('report that it is created and paid when vouchers cover it', () => {
    expect(typesOf(createdProformaEvents(aProforma(inStatus('paid')))).slice(0, 2)).toEqual([
      'proforma.created',
      'proforma.paid',
    ]);
  });
});

describe('the events of a changed proforma', () => {
  it('are empty when nothing changes', () => {
    const proforma = aProforma(bankPayment(100), withAlertOfKind('refund_failed'));
    expect(proformaEvents([{ before: proforma, after: proforma }])).toEqual([]);
  });

  it('report a partial and a full payment', () => {
    expect(typesOf(eventsOf([], bankPayment(100)))).toEqual(['proforma.payment_received']);
    expect(typesOf(eventsOf([], bankPayment(3_000), inStatus('paid')))).toEqual([
      'proforma.payment_received',
      'proforma.paid',
    ]);
  });

  it('report an update when no other event covers the change', () => {
    const proforma = aProforma(bankPayment(100));
    const after = { ...proforma, comment: 'Ring twice' };
    expect(proformaEvents([{ before: proforma, after }])).toEqual([
      { type: 'proforma.updated', recordId: proforma.id },
    ]);
    expect(typesOf(eventsOf([], payment({ amount: 100, status: 'pending' })))).toEqual(['proforma.updated']);
  });

  it('report a payment after conversion as an event of the order', () => {
    expect(eventsOf([bankPayment(100), inStatus('converted')], bankPayment(50))).toEqual([
      { type: 'order.payment_received', recordId: 9 },
      { type: 'proforma.updated', recordId: aProforma().id },
    ]);
  });

  it('report a refund after conversion as an update of the order', () => {
    expect(eventsOf([bankPayment(100), inStatus('converted')], refund(1, 100))).toEqual([
      { type: 'order.updated', recordId: 9 },
      { type: 'proforma.updated', recordId: aProforma().id },
    ]);
  });

  it.each([
    ['refunded', 'refund.succeeded'],
    ['refund_failed', 'refund.failed'],
  ] as const)('report a refund with the new status %s only once', (status, type) => {
    const before = aProforma(bankPayment(100), refund(1, 100));
    const payments = before.payments.map((entry) => (entry.amount < 0 ? { ...entry, status } : entry));
    const after = { ...before, payments };
    expect(proformaEvents([{ before, after }])).toEqual([{ type, recordId: before.id, partId: 2 }]);
    expect(typesOf(proformaEvents([{ before: after, after: { ...after, payments: [...payments] } }]))).toEqual([
      'proforma.updated',
    ]);
  });

  it.each([
    ['canceled', ['proforma.canceled', 'stock.changed']],
    ['expired', ['proforma.expired', 'stock.changed']],
    ['converted', ['proforma.converted', 'order.created']],
    ['awaiting_payment', ['proforma.updated']],
  ] as const)('for the new status %s are %j', (status, types) => {
    expect(typesOf(eventsOf([], inStatus(status)))).toEqual(types);
  });

  it('report each confirmation', () => {
    const before = { ...aProforma(inStatus('confirmed')), warehouseConfirmedAt: NOW };
    expect(typesOf(proformaEvents([{ before, after: { ...before, warehouseConfirmedAt: new Date(NOW) } }]))).toEqual([
      'proforma.confirmed',
    ]);
  });

  it('report raised and resolved alerts by their index', () => {
    const before = aProforma(withAlertOfKind('refund_failed'));
    const raised = withAlertOfKind('paid_not_converted')(before);
    expect(proformaEvents([{ before, after: raised }])).toEqual([
      { type: 'proforma.alert_raised', recordId: before.id, partId: 1 },
    ]);
    const alerts = raised.alerts.map((alert, index) => (index === 0 ? { ...alert, resolvedAt: NOW } : alert));
    expect(proformaEvents([{ before: raised, after: { ...raised, alerts } }])).toEqual([
      { type: 'proforma.alert_resolved', recordId: before.id, partId: 0 },
    ]);
  });

  it('report updates of the vouchers that a new proforma uses', () => {
    const vouchers = [voucherPayment(500, 70), voucherPayment(200, 71)];
    expect(createdProformaEvents(aProforma(...vouchers)).slice(1, 3)).toEqual([
      { type: 'voucher.updated', recordId: 70 },
      { type: 'voucher.updated', recordId: 71 },
    ]);
  });

  it('report an update of a voucher when the order is refunded', () => {
    const traits = [voucherPayment(500, 70), inStatus('converted')];
    const before = aProforma(...traits);
    const [firstPayment] = before.payments;
    if (firstPayment === undefined) throw new Error('The proforma has no payment');
    const payments = [firstPayment, { ...firstPayment, id: 0, amount: -500, refundOf: firstPayment.id }];
    expect(proformaEvents([{ before, after: { ...before, payments } }])).toContainEqual({
      type: 'voucher.updated',
      recordId: 70,
    });
  });

  it('report spent vouchers at conversion, and released vouchers at cancellation', () => {
    expect(eventsOf([voucherPayment(500, 70)], inStatus('converted'))).toContainEqual({
      type: 'voucher.used',
      recordId: 70,
    });
    const canceled = eventsOf([voucherPayment(500, 70), refund(1, 500, 'refunded')], inStatus('canceled'));
    expect(typesOf(canceled)).toEqual(['proforma.canceled', 'voucher.updated', 'stock.changed']);
  });
});

describe('customers whose loyalty points are taken back', () => {
  it('are reported as updated, in the order of their ids', () => {
    expect(takenPointsEvents([10, 9])).toEqual([
      { type: 'customer.updated', recordId: 9 },
      { type: 'customer.updated', recordId: 10 },
    ]);
  });
});

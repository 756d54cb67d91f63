import { changeOf } from './changes.js';
import { effectsOf, execute, refundEffectsOf, type Effect, type EffectHandlers, type Effects } from './effects.js';
import type { Proforma } from './proforma.js';
import { cancel, convert } from './close.js';
import { pay } from './pay.js';
import {
  aProforma,
  aStockRow,
  BANK,
  bankPayment,
  inStatus,
  line,
  NOW,
  payment,
  voucherPayment,
  withTags,
} from './testing/index.js';

const ORDER = { id: 40, data_part: 3, time_part: 71 };

/** Executes the effects without a database, and returns them with the result. */
function run<Result>(effects: Effects<Result>, overrides: Partial<EffectHandlers> = {}) {
  const performed: Effect[] = [];
  const handlers: EffectHandlers = {
    insertOrder: () => ORDER,
    updateOrders: () => [{ id: 9, isPayable: false, isCanceled: false }],
    releaseVouchers: () => {},
    returnVouchers: () => {},
    bookPoints: () => {},
    withdrawPoints: () => [77],
    lockStock: () => [aStockRow({ onHand: 10, reserved: 1 })],
    record: () => {},
    save: ({ changes }) =>
      changes.map(({ after }) => ({
        ...after,
        payments: after.payments.map((each, index) => ({ ...each, id: index + 1 })),
      })),
    ...overrides,
  };
  let step = effects.next();
  while (!step.done) {
    performed.push(step.value);
    step = effects.next(execute(handlers, step.value));
  }
  return { result: step.value, names: performed.map(({ name }) => name), performed };
}

const options = { now: NOW, isCallerRefunding: true };
const effectsOfStep = (before: Proforma, next: unknown) =>
  effectsOf([changeOf(before, { next: next as Proforma })], options);
function inputOf<Name extends Effect['name']>(performed: readonly Effect[], wanted: Name) {
  const effect = performed.find(({ name }) => name === wanted);
  return effect?.input as Extract<Effect, { readonly name: Name }>['input'] | undefined;
}

describe('the effects of a change', () => {
  it('are none if nothing changes', () => {
    const proforma = aProforma();
    const { names, result } = run(effectsOfStep(proforma, proforma));
    expect(names).toEqual([]);
    expect(result).toEqual([{ before: proforma, proforma }]);
  });

  it('of a payment are its entry and the saved proforma, with the id of the payment', () => {
    const draft = aProforma(line({ qty: 1 }));
    const { names, performed, result } = run(effectsOfStep(draft, pay(draft, { method: BANK, amount: 0, now: NOW })));
    expect(names).toEqual(['record', 'save']);
    expect(inputOf(performed, 'record')?.entries?.map(({ action }) => action)).toEqual(['payment.change']);
    expect(inputOf(performed, 'save')).toMatchObject({ reservations: [], isCallerRefunding: true });
    expect(inputOf(performed, 'save')?.events.map(({ type }) => type)).toEqual([
      'proforma.payment_received',
      'proforma.paid',
    ]);
    expect(result[0]?.proforma.payments).toMatchObject([{ id: 1, amount: 1000 }]);
  });

  it('of a conversion insert the order first, and give its id to points, events and the proforma', () => {
    const paidProforma = aProforma(line({ qty: 1 }), voucherPayment(400), bankPayment(600), inStatus('paid'));
    const converted = convert(paidProforma, { orderNumber: 'O-1', amountPerPoint: 100, now: NOW });
    const { names, performed, result } = run(effectsOfStep(paidProforma, converted));
    expect(names).toEqual(['insertOrder', 'releaseVouchers', 'bookPoints', 'record', 'save']);
    expect(inputOf(performed, 'bookPoints')).toEqual([{ orderId: 40, customerId: 77, points: 10 }]);
    expect(inputOf(performed, 'releaseVouchers')).toEqual([{ proformaId: 5, voucherId: 500, spent: 400 }]);
    expect(inputOf(performed, 'save')?.events).toContainEqual({ type: 'order.created', recordId: 40 });
    expect(result[0]?.proforma).toMatchObject({
      orderId: 40,
      converted: { orderParts: { dataPart: 3, timePart: 71 } },
    });
  });

  it('of a cancellation release vouchers before stock, and book what is reserved', () => {
    const draft = aProforma(line({ qty: 3 }), voucherPayment(400));
    const { names, performed } = run(effectsOfStep(draft, cancel(draft, { reason: null, now: NOW })));
    expect(names).toEqual(['releaseVouchers', 'lockStock', 'record', 'save']);
    expect(inputOf(performed, 'lockStock')).toMatchObject([{ evaluationId: 50, variantId: 101, delta: -3 }]);
    expect(inputOf(performed, 'save')?.reservations).toEqual([
      { reference: draft.number, lineId: 1, variantId: 101, warehouseId: 1, qty: 0, delta: -3 },
    ]);
  });

  it('of a payment of an order update the order, and take its state', () => {
    const order = aProforma(line({ qty: 1 }), inStatus('converted'));
    const paid = payment({ amount: 1000, id: 0 })(order);
    const { names, result } = run(effectsOfStep(order, paid));
    expect(names).toEqual(['updateOrders', 'record', 'save']);
    expect(result[0]?.proforma.converted).toMatchObject({ isOrderPayable: false });
  });

  it('save nothing of a change whose stock is short, and save the others', () => {
    const short = { ...aProforma(line({ qty: 9, qtyConfirmed: 1, name: 'Shirt' })), id: 6 };
    const larger = { ...short, lines: short.lines.map((each) => ({ ...each, qtyConfirmed: 9 })) };
    const tagged = aProforma(line({ qty: 1 }));
    const changes = [changeOf(short, { next: larger }), changeOf(tagged, { next: withTags('a')(tagged) })];
    const { performed, result } = run(effectsOf(changes, options), {
      lockStock: () => [aStockRow({ onHand: 5, reserved: 1 })],
    });
    expect(inputOf(performed, 'save')?.changes.map(({ after }) => after.id)).toEqual([tagged.id]);
    expect(result.map(({ proforma, refusal }) => [proforma.tags, refusal?.refused !== undefined])).toEqual([
      [[], true],
      [['a'], false],
    ]);
  });
});

describe('the effects of refunded orders', () => {
  const paidOrder = aProforma(line({ qty: 1 }), voucherPayment(400), bankPayment(600), inStatus('converted'));
  const withPoints = { ...paidOrder, converted: paidOrder.converted && { ...paidOrder.converted, points: 3 } };

  it('return vouchers and points, record both, and return the refunds of the caller', () => {
    const { names, performed, result } = run(refundEffectsOf([withPoints], NOW));
    expect(names).toEqual(['returnVouchers', 'withdrawPoints', 'record', 'save', 'updateOrders']);
    expect(inputOf(performed, 'returnVouchers')).toEqual([{ voucherId: 500, amount: 400 }]);
    expect(inputOf(performed, 'record')?.events).toEqual([{ type: 'customer.updated', recordId: 77 }]);
    expect(result).toEqual([{ proformaId: 5, refundIds: [3] }]);
  });

  it('save nothing of an order without money', () => {
    const { names, result } = run(refundEffectsOf([aProforma(inStatus('converted'))], NOW));
    expect(names).toEqual(['record']);
    expect(result).toEqual([]);
  });
});

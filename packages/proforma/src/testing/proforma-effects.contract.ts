import { isRefusal } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  insufficientStock,
  PICKUP_POINT_REQUIRED,
  PICKUP_POINT_UNAVAILABLE,
  VOUCHER_NOT_AVAILABLE,
  type Proforma,
} from '../index.js';
import {
  canceling,
  confirming,
  converting,
  expiringPaid,
  receivingCardResults,
  meetingDeadline,
  SampleShop,
  type GivenProformas,
} from './given-proformas.js';

/** Tests of the effects on vouchers, points and orders. */
export function proformaEffectsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenProformas>,
): void {
  let given: GivenProformas;
  let shop: SampleShop;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    shop = await SampleShop.open(given);
  });

  describe('stock movements', () => {
    const moved = async (): Promise<string[]> =>
      (await given.movementsOf(shop.appId)).filter((line) => !line.startsWith('adjust'));

    it('record each change of a reservation', async () => {
      const made = await shop.proforma({ items: [{ code: 'S', qty: 5 }] });
      for (const step of [confirming(2), confirming(2), confirming(4), canceling]) {
        given.clock.forward({ seconds: 1 });
        await shop.change(made, step);
      }
      expect(await moved()).toEqual(
        ['reserve 5', 'release -3', 'reserve 2', 'release -4'].map((line) => `${line} S@W1 ${made.number}`),
      );
    });

    it('have one line per variant', async () => {
      await given.addGoods(shop.appId, { code: 'T' });
      await given.addStock(shop.appId, 'T', { W1: 9 });
      const items = ['S', 'T', 'S'].map((code) => ({ code, qty: 2 }));
      const { number } = await shop.proforma({ items });
      expect((await moved()).sort()).toEqual([`reserve 2 T@W1 ${number}`, `reserve 4 S@W1 ${number}`]);
    });
  });

  describe('a voucher', () => {
    const WITH_GIFT = { vouchers: ['gift'] };
    const spent = () => given.spentOf(shop.appId, 'gift');
    beforeEach(() => given.setUp(shop.appId, 'vouchers', { code: 'gift', amount: 25 }));

    it('pays at creation, as much as it can', async () => {
      const covered = await shop.proforma(WITH_GIFT);
      expect(covered).toMatchObject({
        status: 'paid',
        payments: [{ kind: 'voucher', method: 'voucher', amount: 1_000 }],
      });
      expect(await shop.found(covered)).toEqual(covered);
      expect(await spent()).toBe(0);
    });

    it('is held by one of several concurrent proformas', async () => {
      const evaluations = await Promise.all(
        [1, 2, 3].map(() => given.evaluate(shop.appId, { items: [{ code: 'S', qty: 1 }], ...WITH_GIFT })),
      );
      const outcomes = await Promise.all(evaluations.map(({ id }) => given.tryToPropose(shop.appId, id)));
      expect(outcomes.filter(isRefusal)).toEqual([VOUCHER_NOT_AVAILABLE, VOUCHER_NOT_AVAILABLE]);
    });

    it('is released by a cancellation or an expiry', async () => {
      await shop.change(await shop.proforma(WITH_GIFT), canceling);
      const expiring = await shop.proforma(WITH_GIFT);
      given.clock.forward({ hours: 72 });
      await shop.change(expiring, expiringPaid);
      expect(await spent()).toBe(0);
      await shop.proforma(WITH_GIFT);
    });

    it('is spent by a conversion; its rest can be used', async () => {
      await shop.change(await shop.proforma(WITH_GIFT), converting());
      expect(await spent()).toBe(1_000);
      const items = [{ code: 'S', qty: 2 }];
      const { payments } = await shop.proforma({ items, ...WITH_GIFT });
      expect(payments).toMatchObject([{ amount: 1_500 }]);
    });

    it('that became inactive since the evaluation is refused', async () => {
      const { id } = await given.evaluate(shop.appId, { items: [{ code: 'S', qty: 1 }], ...WITH_GIFT });
      await given.setUp(shop.appId, 'vouchers', { code: 'gift', active: false });
      expect(await given.tryToPropose(shop.appId, id)).toEqual(VOUCHER_NOT_AVAILABLE);
    });
  });

  describe('loyalty points', () => {
    it('are earned once, at conversion', async () => {
      const customer = await given.addCustomer(shop.appId);
      const { id, data_part: dataPart, time_part: timePart } = customer;
      const made = await shop.proforma({ customer: { id, dataPart, timePart }, items: [{ code: 'S', qty: 2 }] });
      await shop.change(made, shop.paying(), converting(300), converting(300));
      expect(await given.pointsOf(shop.appId, customer)).toBe(6);
    });

    it('are not earned by guests', async () => {
      const { converted } = await shop.change(await shop.proforma(), converting(300));
      expect(converted?.points).toBe(0);
    });
  });

  describe('a pickup point', () => {
    const points = [
      { code: 'open', name: 'Open' },
      { code: 'shut', name: 'Shut', available: false },
    ];
    eachCase(it, [
      ['required', 'open', undefined],
      ['required', null, PICKUP_POINT_REQUIRED],
      ['required', 'shut', PICKUP_POINT_UNAVAILABLE],
      ['required', 'none', PICKUP_POINT_UNAVAILABLE],
      ['required but missing', 'open', PICKUP_POINT_UNAVAILABLE],
      ['offered', null, undefined],
      ['offered', 'shut', PICKUP_POINT_UNAVAILABLE],
      ['unknown', 'none', undefined],
    ] as const)('when %s and set to %j gives %j', async (shipment, pickupPointCode, refusal) => {
      const row = {
        code: 'post',
        name: 'Post',
        price: 1,
        vat_rate: 20,
        requires_pickup_point: shipment.startsWith('required'),
      };
      const pickupPoints = shipment === 'required' || shipment === 'offered' ? points : [];
      await given.setUp(shop.appId, 'shipment_methods', { ...row, pickup_points: pickupPoints });
      const made = await shop.proposed({ shipmentMethodCode: 'post', pickupPointCode });
      if (refusal === undefined) expect(made).toMatchObject({ pickupPointCode, endSales: 1_100 });
      else expect(made).toEqual(refusal);
    });
  });

  describe('a conversion', () => {
    it('is decided again when its number is taken', async () => {
      const [first, second] = [await shop.proforma(), await shop.proforma()];
      await shop.change(first, converting(0, 'TAKEN'));
      const numbers = ['TAKEN', 'TAKEN', 'FREE'];
      const converted = await shop.change(second, (found, now) => converting(0, numbers.shift())(found, now));
      expect(converted.converted?.orderNumber).toBe('FREE');
      expect(converted.orderId).not.toBe((await shop.found(first)).orderId);
    });

    it('is decided again when two of one call draw the same number', async () => {
      const made = [await shop.proforma(), await shop.proforma()];
      const numbers = ['SAME', 'SAME', 'ONE', 'TWO'];
      const decide = shop.deciding((found, now) => converting(0, numbers.shift())(found, now));
      const ids = made.map(({ id }) => id);
      const stored = await given.proformaOrders.changeUnlocked(shop.appId, ids, decide);
      expect(stored.map(({ proforma }) => proforma.converted?.orderNumber)).toEqual(['ONE', 'TWO']);
    });

    it('is payable only while its order is', async () => {
      const payable = ({ converted }: Proforma) => converted?.isOrderPayable;
      const made = await shop.change(await shop.proforma(), shop.startingCard(), shop.paying(400), converting());
      expect([payable(made), payable(await shop.found(made))]).toEqual([true, true]);
      const settled = await shop.change(made, receivingCardResults('settled'));
      expect([payable(settled), payable(await shop.found(made))]).toEqual([false, false]);
    });

    eachCase(it, [{ status: 'completed' }, { status: 'canceled' }, { paymentStatus: 'paid' }] as const)(
      'is not payable once a person has set %j',
      async (change) => {
        const made = await shop.change(await shop.proforma(), converting());
        await given.changeOrder(shop.appId, made.orderId as number, change);
        expect((await shop.found(made)).converted?.isOrderPayable).toBe(false);
        await shop.change(made, (found, now) => ({ ...found, updatedAt: now }));
        expect((await shop.found(made)).converted?.isOrderPayable).toBe(false);
      },
    );

    it('whose order was canceled raises an alert for later payments', async () => {
      const made = await shop.change(await shop.proforma(), shop.startingCard(), converting());
      await given.changeOrder(shop.appId, made.orderId as number, { status: 'canceled' });
      const settled = await shop.change(made, receivingCardResults('settled'));
      expect(settled.alerts).toMatchObject([{ kind: 'refund_failed', details: { reason: 'order_canceled' } }]);
      expect(await shop.found(made)).toEqual(settled);
    });

    it('passes later payments to its order', async () => {
      const made = await shop.change(await shop.proforma(), shop.startingCard(), converting());
      const settled = await shop.change(made, receivingCardResults('settled'));
      expect(settled.payments).toMatchObject([{ amount: 1_000, status: 'settled' }]);
      expect(settled.converted?.payments).toMatchObject([{ amount: 1_000, status: 'pending' }]);
      expect(await shop.found(made)).toEqual(settled);
    });
  });

  describe('a line in a warehouse that no longer sells', () => {
    it('can shrink but not grow', async () => {
      const made = await shop.proforma({ items: [{ code: 'S', qty: 5 }] });
      await given.addWarehouse(shop.appId, 'W1', false);
      await shop.change(made, confirming(2));
      const { id } = made;
      const stored = await given.proformaOrders.change(shop.appId, id, shop.deciding(confirming(5)));
      expect(stored?.refusal).toEqual(insufficientStock('S'));
      expect((await shop.found(made)).lines).toMatchObject([{ qtyConfirmed: 2 }]);
    });
  });

  describe('a paid proforma', () => {
    const due = async (): Promise<number[]> => {
      const all = await given.proformaOrders.due(given.clock.now(), { perApp: 1_000, overall: 1_000 });
      return all.filter(({ appId }) => appId === shop.appId).map(({ id }) => id);
    };

    it('with an alert is due again when the app lets paid ones expire', async () => {
      const made = await shop.proforma();
      await shop.change(made, shop.paying());
      given.clock.forward({ hours: 72 });
      expect(await due()).toEqual([made.id]);
      await shop.change(made, meetingDeadline);
      expect(await due()).toEqual([]);
      await given.letPaidExpire(shop.appId);
      expect(await due()).toEqual([made.id]);
      await shop.change(made, expiringPaid);
      expect(await due()).toEqual([]);
    });
  });
}

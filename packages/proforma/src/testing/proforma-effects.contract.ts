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
  cancellation,
  confirmation,
  conversion,
  deadlineCheckWithPaidExpiry,
  cardResults,
  deadlineCheck,
  SampleShop,
  type ProformaFixture,
} from './given-proformas.js';

export function proformaEffectsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ProformaFixture>,
): void {
  let fixture: ProformaFixture;
  let shop: SampleShop;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    shop = await SampleShop.open(fixture);
  });

  describe('the stock movements of a proforma', () => {
    const movements = async (): Promise<string[]> =>
      (await fixture.movementsOf(shop.appId)).filter((line) => !line.startsWith('adjust'));

    it('record each change of a reserved quantity', async () => {
      const proforma = await shop.proforma({ items: [{ code: 'S', qty: 5 }] });
      for (const step of [confirmation(2), confirmation(2), confirmation(3), cancellation]) {
        fixture.clock.forward({ seconds: 1 });
        await shop.change(proforma, step);
      }
      expect(await movements()).toEqual(
        ['reserve 5', 'release -3', 'reserve 1', 'release -3'].map((line) => `${line} S@W1 ${proforma.number}`),
      );
    });

    it('release a line in the warehouse to which it was moved', async () => {
      const moved = await shop.proforma({ items: [{ code: 'S', qty: 40 }] });
      await shop.change(moved, confirmation(10));
      await shop.proforma({ items: [{ code: 'S', qty: 85 }] });
      await fixture.addWarehouse(shop.appId, 'W2');
      await fixture.addStock(shop.appId, 'S', { W2: 50 });
      const { orderId } = await shop.change(moved, confirmation(40), conversion());
      fixture.clock.forward({ seconds: 1 });
      await fixture.changeOrder(shop.appId, orderId as number, { status: 'canceled' });
      expect((await movements()).at(-1)).toMatch(/^release -40 S@W2 /);
    });

    it('add up the quantities of all lines of a variant', async () => {
      await fixture.addGoods(shop.appId, { code: 'T' });
      await fixture.addStock(shop.appId, 'T', { W1: 9 });
      const items = ['S', 'T', 'S'].map((code) => ({ code, qty: 2 }));
      const { number } = await shop.proforma({ items });
      expect((await movements()).sort()).toEqual([`reserve 2 T@W1 ${number}`, `reserve 4 S@W1 ${number}`]);
    });
  });

  describe('a voucher on a proforma', () => {
    const WITH_GIFT = { vouchers: ['gift'] };
    const spentAmount = () => fixture.spentOf(shop.appId, 'gift');
    beforeEach(() => fixture.setUp(shop.appId, 'vouchers', { code: 'gift', amount: 25 }));

    it('pays as much as possible at creation', async () => {
      const proforma = await shop.proforma(WITH_GIFT);
      expect(proforma).toMatchObject({
        status: 'paid',
        payments: [{ kind: 'voucher', method: 'voucher', amount: 1_000 }],
      });
      expect(await shop.find(proforma)).toEqual(proforma);
      expect(await spentAmount()).toBe(0);
    });

    it('is reserved by only one of several concurrent proformas', async () => {
      const evaluations = await Promise.all(
        [1, 2, 3].map(() => fixture.evaluate(shop.appId, { items: [{ code: 'S', qty: 1 }], ...WITH_GIFT })),
      );
      const results = await Promise.all(evaluations.map(({ id }) => fixture.tryToPropose(shop.appId, id)));
      expect(results.filter(isRefusal)).toEqual([VOUCHER_NOT_AVAILABLE, VOUCHER_NOT_AVAILABLE]);
    });

    it('is released by a cancellation or an expiry', async () => {
      await shop.change(await shop.proforma(WITH_GIFT), cancellation);
      const expiringProforma = await shop.proforma(WITH_GIFT);
      fixture.clock.forward({ hours: 72 });
      await shop.change(expiringProforma, deadlineCheckWithPaidExpiry);
      expect(await spentAmount()).toBe(0);
      await shop.proforma(WITH_GIFT);
    });

    it('is spent by a conversion; its remaining balance can be used', async () => {
      await shop.change(await shop.proforma(WITH_GIFT), conversion());
      expect(await spentAmount()).toBe(1_000);
      const items = [{ code: 'S', qty: 2 }];
      const { payments } = await shop.proforma({ items, ...WITH_GIFT });
      expect(payments).toMatchObject([{ amount: 1_500 }]);
    });

    it('is refused when it became inactive after the evaluation of the basket', async () => {
      const { id } = await fixture.evaluate(shop.appId, { items: [{ code: 'S', qty: 1 }], ...WITH_GIFT });
      await fixture.setUp(shop.appId, 'vouchers', { code: 'gift', active: false });
      expect(await fixture.tryToPropose(shop.appId, id)).toEqual(VOUCHER_NOT_AVAILABLE);
    });
  });

  describe('loyalty points', () => {
    it('are earned once, at conversion', async () => {
      const customer = await fixture.addCustomer(shop.appId);
      const { id, data_part: dataPart, time_part: timePart } = customer;
      const proforma = await shop.proforma({ customer: { id, dataPart, timePart }, items: [{ code: 'S', qty: 2 }] });
      await shop.change(proforma, shop.payment(), conversion(300), conversion(300));
      expect(await fixture.pointsOf(shop.appId, customer)).toBe(6);
    });

    it('are not earned by guests', async () => {
      const { converted } = await shop.change(await shop.proforma(), conversion(300));
      expect(converted?.points).toBe(0);
    });
  });

  describe('the pickup point of a proforma', () => {
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
    ] as const)('when %s and set to %j leads to the refusal %j', async (shipment, pickupPointCode, refusal) => {
      const row = {
        code: 'post',
        name: 'Post',
        price: 1,
        vat_rate: 20,
        requires_pickup_point: shipment.startsWith('required'),
      };
      const pickupPoints = shipment === 'required' || shipment === 'offered' ? points : [];
      await fixture.setUp(shop.appId, 'shipment_methods', { ...row, pickup_points: pickupPoints });
      const proforma = await shop.propose({ shipmentMethodCode: 'post', pickupPointCode });
      if (refusal === undefined) expect(proforma).toMatchObject({ pickupPointCode, endSales: 1_100 });
      else expect(proforma).toEqual(refusal);
    });
  });

  describe('a conversion to an order', () => {
    it('uses another number when an order already has the first one', async () => {
      const [firstProforma, secondProforma] = [await shop.proforma(), await shop.proforma()];
      await shop.change(firstProforma, conversion(0, 'TAKEN'));
      const numbers = ['TAKEN', 'TAKEN', 'FREE'];
      const convertedProforma = await shop.change(secondProforma, (current, now) =>
        conversion(0, numbers.shift())(current, now),
      );
      expect(convertedProforma.converted?.orderNumber).toBe('FREE');
      expect(convertedProforma.orderId).not.toBe((await shop.find(firstProforma)).orderId);
    });

    it('uses another number when two proformas of one call get the same number', async () => {
      const proformas = [await shop.proforma(), await shop.proforma()];
      const numbers = ['SAME', 'SAME', 'ONE', 'TWO'];
      const decide = shop.decisionOf((current, now) => conversion(0, numbers.shift())(current, now));
      const ids = proformas.map(({ id }) => id);
      const storedChanges = await fixture.proformaOrders.changeUnlocked(shop.appId, ids, decide);
      expect(storedChanges.map(({ proforma }) => proforma.converted?.orderNumber)).toEqual(['ONE', 'TWO']);
    });

    it('lets the proforma be paid only while its order can be paid', async () => {
      const isPayable = ({ converted }: Proforma) => converted?.isOrderPayable;
      const proforma = await shop.change(await shop.proforma(), shop.cardPayment(), shop.payment(400), conversion());
      expect([isPayable(proforma), isPayable(await shop.find(proforma))]).toEqual([true, true]);
      const settledProforma = await shop.change(proforma, cardResults('settled'));
      expect([isPayable(settledProforma), isPayable(await shop.find(proforma))]).toEqual([false, false]);
    });

    eachCase(it, [{ status: 'completed' }, { status: 'canceled' }, { paymentStatus: 'paid' }] as const)(
      'prevents later payments once a person has set %j on the order',
      async (change) => {
        const proforma = await shop.change(await shop.proforma(), conversion());
        await fixture.changeOrder(shop.appId, proforma.orderId as number, change);
        expect((await shop.find(proforma)).converted?.isOrderPayable).toBe(false);
        await shop.change(proforma, (current, now) => ({ ...current, updatedAt: now }));
        expect((await shop.find(proforma)).converted?.isOrderPayable).toBe(false);
      },
    );

    it('raises an alert for payments that arrive after its order was canceled', async () => {
      const proforma = await shop.change(await shop.proforma(), shop.cardPayment(), conversion());
      await fixture.changeOrder(shop.appId, proforma.orderId as number, { status: 'canceled' });
      const settledProforma = await shop.change(proforma, cardResults('settled'));
      expect(settledProforma.alerts).toMatchObject([{ kind: 'refund_failed', details: { reason: 'order_canceled' } }]);
      expect(await shop.find(proforma)).toEqual(settledProforma);
    });

    it('passes later payments to its order', async () => {
      const proforma = await shop.change(await shop.proforma(), shop.cardPayment(), conversion());
      const settledProforma = await shop.change(proforma, cardResults('settled'));
      expect(settledProforma.payments).toMatchObject([{ amount: 1_000, status: 'settled' }]);
      expect(settledProforma.converted?.payments).toMatchObject([{ amount: 1_000, status: 'pending' }]);
      expect(await shop.find(proforma)).toEqual(settledProforma);
    });
  });

  describe('a line in a warehouse that is no longer sellable', () => {
    it('can be reduced, but not increased', async () => {
      const proforma = await shop.proforma({ items: [{ code: 'S', qty: 5 }] });
      await fixture.addWarehouse(shop.appId, 'W1', false);
      await shop.change(proforma, confirmation(2));
      const { id } = proforma;
      const storedChange = await fixture.proformaOrders.change(shop.appId, id, shop.decisionOf(confirmation(5)));
      expect(storedChange?.refusal).toMatchObject(insufficientStock('S'));
      expect((await shop.find(proforma)).lines).toMatchObject([{ qtyConfirmed: 2 }]);
    });
  });

  describe('a paid proforma past its deadline', () => {
    const dueIds = async (at = fixture.clock.now()): Promise<number[]> => {
      const dueProformas = await fixture.proformaOrders.due(at, { perApp: 1_000, overall: 1_000 });
      return dueProformas.filter(({ appId }) => appId === shop.appId).map(({ id }) => id);
    };

    it('is due for expiry again after its alert when the app lets paid proformas expire', async () => {
      const proforma = await shop.proforma();
      await shop.change(proforma, shop.payment());
      fixture.clock.forward({ hours: 72 });
      expect(await dueIds()).toEqual([proforma.id]);
      await shop.change(proforma, deadlineCheck);
      expect(await dueIds()).toEqual([]);
      await fixture.letPaidExpire(shop.appId);
      expect(await dueIds()).toEqual([proforma.id]);
      expect(await dueIds(new Date(proforma.expiresAt.getTime() - 1))).toEqual([]);
      await shop.change(proforma, deadlineCheckWithPaidExpiry);
      expect(await dueIds()).toEqual([]);
    });
  });
}

import { addHours } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  ALREADY_FINAL,
  EXTERNAL_REF_TAKEN,
  retryRefund,
  type Decision,
  type Proforma,
  type Verdict,
} from '../index.js';
import { assertAccepted, ShirtShop, type ProformaOrdersFixture } from './shirt-shop.js';

const UNKNOWN_ID = 987_654_321_987;

export function proformaChangesContract(
  { describe, it, beforeEach }: Runner,
  setUp: () => Promise<ProformaOrdersFixture>,
): void {
  describe('changes of proformas', () => {
    let fixture: ProformaOrdersFixture;
    let shop: ShirtShop;

    beforeEach(async () => {
      fixture = await setUp();
      shop = await ShirtShop.open(fixture);
    });

    describe('a missing proforma', () => {
      const throwOnCall: Decision = () => {
        throw new Error('Decided on a missing proforma');
      };

      it('is neither found nor changed when it does not exist', async () => {
        expect(await fixture.orders.find(fixture.appId, UNKNOWN_ID)).toBeUndefined();
        expect(await fixture.orders.change(fixture.appId, UNKNOWN_ID, throwOnCall)).toBeUndefined();
        expect(await fixture.orders.changeUnlocked(fixture.appId, [UNKNOWN_ID], throwOnCall)).toEqual([]);
      });

      it('is neither found nor changed when another app owns it', async () => {
        const { id } = await shop.proforma(1);
        expect(await fixture.orders.find(fixture.otherAppId, id)).toBeUndefined();
        expect(await fixture.orders.change(fixture.otherAppId, id, throwOnCall)).toBeUndefined();
        expect(await fixture.orders.changeUnlocked(fixture.otherAppId, [id], throwOnCall)).toEqual([]);
      });
    });

    describe('a change of a proforma', () => {
      eachCase<[string, (shop: ShirtShop) => readonly Decision[]]>(it, [
        ['an edit of tags', (steps) => [steps.tagEdit('urgent', 'VIP')]],
        ['a payment', (steps) => [steps.payment(700)]],
        ['a payment of the whole debt', (steps) => [steps.payment(0)]],
        ['a full confirmation', (steps) => [steps.confirmation(2, 3)]],
        ['a partial confirmation', (steps) => [steps.payment(0), steps.confirmation(2, 1)]],
        ['a confirmation of nothing', (steps) => [steps.payment(0), steps.confirmation(0, 0)]],
        [
          'a completed refund',
          (steps) => [steps.payment(0), steps.confirmation(2, 1), steps.refundOutcomes('refunded')],
        ],
        ['a failed refund', (steps) => [steps.payment(0), steps.confirmation(2, 1), steps.refundOutcomes('failed')]],
        ['a cancellation', (steps) => [steps.payment(700), steps.cancellation()]],
        ['a conversion', (steps) => [steps.payment(0), steps.confirmation(2, 1), steps.conversion()]],
        [
          'a payment together with the conversion',
          (steps) => [steps.confirmation(2, 3), (proforma) => steps.conversion()(steps.payment(0)(proforma).next)],
        ],
        ['an expiry', (steps) => [steps.payment(700), steps.expiry()]],
        ['an alert', (steps) => [steps.payment(0), steps.expiry()]],
      ])('is stored: %s', async (_, decisionsOf) => {
        const draft = await shop.proforma(2, 3);
        const decisions = decisionsOf(shop);
        await shop.change(draft, ...decisions.slice(0, -1), (proforma) => ({ next: proforma }));
        const before = await shop.find(draft);
        const storedChange = await shop.change(draft, ...decisions.slice(-1));
        expect(storedChange.refusal).toBeUndefined();
        expect(storedChange.before).toEqual(before);
        expect(storedChange.proforma).not.toEqual(before);
        expect(await shop.find(draft)).toEqual(storedChange.proforma);
      });

      it('returns the same proforma when nothing changes', async () => {
        const storedChange = await shop.change(await shop.proforma(1), (proforma) => ({ next: proforma }));
        expect(storedChange.proforma).toBe(storedChange.before);
      });

      it('stores nothing when it is refused', async () => {
        const draft = await shop.proforma(2);
        const refusal = { refused: 'Not today' };
        const storedChange = await shop.change(draft, (proforma) => ({ next: proforma, refusal }));
        expect(storedChange).toEqual({ before: draft, proforma: draft, refusal });
        expect(await shop.find(draft)).toEqual(draft);
      });

      it('stores that the proforma has expired, even when it is refused for this reason', async () => {
        const draft = await shop.proforma(2);
        const storedChange = await shop.change(draft, (proforma) => ({
          ...shop.expiry()(proforma),
          refusal: ALREADY_FINAL,
        }));
        expect(storedChange.refusal).toEqual(ALREADY_FINAL);
        expect(storedChange.proforma.status).toBe('expired');
        expect(await shop.find(draft)).toEqual(storedChange.proforma);
        expect(await shop.reservedPieces()).toBe(0);
      });

      it('stores nothing when it throws', async () => {
        const draft = await shop.proforma(2);
        const bug: Decision = () => {
          throw new Error('A bug');
        };
        await expect(shop.change(draft, bug)).rejects.toThrow('A bug');
        expect(await shop.find(draft)).toEqual(draft);
      });

      it('is not lost among concurrent changes', async () => {
        const draft = await shop.proforma(1);
        const tags = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
        await Promise.all(
          tags.map((tag) => shop.change(draft, (proforma) => shop.tagEdit(...proforma.tags, tag)(proforma))),
        );
        expect([...((await shop.find(draft))?.tags ?? [])].sort()).toEqual(tags);
      });
    });

    describe('changes by two processes', () => {
      const conversionOf =
        (): Decision =>
        (proforma): Verdict =>
          proforma.status === 'converted' ? { next: proforma } : shop.conversion()(proforma);

      it('each start from the last change, whichever process made it', async () => {
        const { otherProcess = fixture.orders } = fixture;
        const draft = await shop.proforma(2);
        await shop.change(draft, shop.payment(100));
        await otherProcess.change(fixture.appId, draft.id, shop.payment(200));
        const { before, proforma } = await shop.change(draft, shop.payment(300));
        expect(before.payments.map(({ amount }) => amount)).toEqual([100, 200]);
        expect(proforma.payments.map(({ amount }) => amount)).toEqual([100, 200, 300]);
        expect(await shop.find(draft)).toEqual(proforma);
      });

      it('are not lost when they are concurrent', async () => {
        const { otherProcess = fixture.orders } = fixture;
        const draft = await shop.proforma(5);
        await Promise.all(
          [100, 200, 300, 400].flatMap((amount) => [
            shop.change(draft, shop.payment(amount)),
            otherProcess.change(fixture.appId, draft.id, shop.payment(amount + 1)),
          ]),
        );
        const amounts = (await shop.find(draft))?.payments.map(({ amount }) => amount) ?? [];
        expect([...amounts].sort((a, b) => a - b)).toEqual([100, 101, 200, 201, 300, 301, 400, 401]);
      });

      it('create only one order when both convert the proforma', async () => {
        const { otherProcess = fixture.orders } = fixture;
        const draft = await shop.proforma(2);
        await shop.change(draft, shop.payment(0), shop.confirmation(2));
        const conversions = await Promise.all([
          shop.change(draft, conversionOf()),
          otherProcess.change(fixture.appId, draft.id, conversionOf()),
          shop.change(draft, conversionOf()),
        ]);
        const { orderId } = (await shop.find(draft)) as Proforma;
        expect(orderId).toBeGreaterThan(0);
        expect(conversions.map((conversion) => conversion?.proforma.orderId)).toEqual([orderId, orderId, orderId]);
      });
    });

    describe('new payments', () => {
      it('have ascending ids and keep them', async () => {
        const draft = await shop.proforma(5);
        const secondChange = await shop.change(draft, (proforma) =>
          shop.payment(200)(shop.payment(100)(proforma).next),
        );
        const [firstId = 0, secondId = 0] = secondChange.proforma.payments.map((payment) => payment.id);
        expect(firstId).toBeGreaterThan(0);
        expect(secondId).toBeGreaterThan(firstId);
        const { proforma } = await shop.change(
          draft,
          shop.payment(300),
          shop.cancellation(),
          shop.refundOutcomes('refunded'),
        );
        const ids = proforma.payments.map((payment) => payment.id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(proforma.payments).toMatchObject([
          { id: firstId, amount: 100, status: 'settled' },
          { id: secondId, amount: 200, status: 'settled' },
          { amount: 300, status: 'settled' },
          { amount: -300, status: 'refunded', refundOf: ids[2] },
          { amount: -200, status: 'refunded', refundOf: secondId },
          { amount: -100, status: 'refunded', refundOf: firstId },
        ]);
      });

      it('belong to the right proforma when several proformas change at the same time', async () => {
        const drafts = [await shop.proforma(1), await shop.proforma(1), await shop.proforma(1)];
        const ids = drafts.map((draft) => draft.id);
        const storedChange = await fixture.orders.changeUnlocked(fixture.appId, ids, (proforma) =>
          shop.payment(proforma.id)(proforma),
        );
        expect(storedChange).toHaveLength(3);
        expect(
          new Set(storedChange.flatMap(({ proforma }) => proforma.payments.map((payment) => payment.id))).size,
        ).toBe(3);
        for (const { proforma } of storedChange) {
          expect(proforma.payments).toMatchObject([{ amount: proforma.id }]);
          expect(await shop.find(proforma)).toEqual(proforma);
        }
      });
    });

    describe('the external reference of a payment', () => {
      const source = {
        externalRef: 'line-1',
        receivedAt: new Date('2026-11-20'),
        payer: { name: 'Ana', account: null },
      };

      it('belongs to one proforma of the app', async () => {
        const [first, second] = [await shop.proforma(1), await shop.proforma(1)];
        const { proforma } = await shop.change(first, shop.payment(10, source));
        expect(proforma.payments).toMatchObject([source]);
        expect(await shop.find(first)).toEqual(proforma);
        const refused = await fixture.orders.change(fixture.appId, second.id, shop.payment(10, source));
        expect(refused).toMatchObject({ refusal: EXTERNAL_REF_TAKEN, proforma: { payments: [] } });
        expect(await shop.find(second)).toEqual(second);
        expect((await shop.change(first, shop.payment(10, source))).proforma).toEqual(proforma);
      });
    });

    describe('a new refund', () => {
      const keysOf = ({ payments }: Proforma) => payments.map(({ keyPart }) => keyPart);

      it('gets a random key part for its idempotency key, and keeps it', async () => {
        const draft = await shop.proforma(5);
        const { proforma } = await shop.change(draft, shop.payment(0), shop.confirmation(4));
        expect(keysOf(proforma)).toEqual([null, expect.stringMatching(/^[\w-]{8,24}$/)]);
        expect(keysOf((await shop.change(draft, shop.refundOutcomes('failed'))).proforma)).toEqual(keysOf(proforma));
        const { id = 0 } = proforma.payments[1] ?? {};
        const retriedChange = await shop.change(draft, (current) => ({
          next: assertAccepted(retryRefund(current, { refundId: id, now: fixture.now() })),
        }));
        expect(keysOf(retriedChange.proforma)).toEqual(keysOf(proforma));
        expect(await shop.find(draft)).toEqual(retriedChange.proforma);
      });

      it('is stored with its withdrawn part when its debt comes back in part', async () => {
        const draft = await shop.proforma(5);
        await shop.change(draft, shop.payment(0), shop.confirmation(3));
        await shop.change(draft, shop.refundOutcomes('failed'));
        const { proforma } = await shop.change(draft, shop.confirmation(4));
        expect(proforma.payments.map(({ status }) => status)).toEqual(['settled', 'refund_failed', 'failed']);
        const [, keptRefund, withdrawnRefund] = proforma.payments;
        expect(keptRefund?.amount).toBe(withdrawnRefund?.amount);
        expect(await shop.find(draft)).toEqual(proforma);
      });

      it('has a key part that no other refund has, even in another database', async () => {
        const parts = [];
        for (const otherShop of [shop, shop, await ShirtShop.open(await setUp())]) {
          const { proforma } = await otherShop.change(
            await otherShop.proforma(2),
            otherShop.payment(0),
            otherShop.cancellation(),
          );
          parts.push(...proforma.payments.flatMap(({ keyPart }) => keyPart ?? []));
        }
        expect(parts).toHaveLength(3);
        expect(new Set(parts).size).toBe(3);
      });
    });

    describe('a converted proforma', () => {
      it('keeps its order', async () => {
        const { proforma } = await shop.change(await shop.proforma(1), shop.payment(0), shop.conversion());
        expect(proforma.orderId).toBeGreaterThan(0);
        const laterChange = await shop.change(proforma, (current) => ({
          next: { ...current, updatedAt: addHours(fixture.now(), 1) },
        }));
        expect(laterChange.proforma.orderId).toBe(proforma.orderId);
      });

      it('keeps the payments that it had at its conversion', async () => {
        const draft = await shop.proforma(2);
        const { proforma } = await shop.change(draft, shop.payment(0), shop.confirmation(1), shop.conversion());
        const settledChange = await shop.change(draft, shop.refundOutcomes('refunded'));
        expect(settledChange.proforma.payments).toMatchObject([
          { amount: 2000 },
          { amount: -1000, status: 'refunded' },
        ]);
        expect(settledChange.proforma.converted).toEqual(proforma.converted);
        expect(proforma.converted?.payments).toMatchObject([{ amount: 2000 }, { amount: -1000, status: 'pending' }]);
        expect(await shop.find(draft)).toEqual(settledChange.proforma);
      });
    });
  });
}

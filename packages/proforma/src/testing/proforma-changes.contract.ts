import { addHours } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { ALREADY_FINAL, retryRefund, type Decision, type Proforma } from '../index.js';
import { ShirtShop, type ProformaOrdersSetUp } from './shirt-shop.js';

const UNKNOWN = 987_654_321_987;

/** Tests of `find`, `change` and `changeUnlocked`. */
export function proformaChangesContract(
  { describe, it, beforeEach }: Runner,
  setUp: () => Promise<ProformaOrdersSetUp>,
): void {
  describe('changes', () => {
    let given: ProformaOrdersSetUp;
    let shop: ShirtShop;

    beforeEach(async () => {
      given = await setUp();
      shop = await ShirtShop.open(given);
    });

    describe('a missing proforma', () => {
      const never: Decision = () => {
        throw new Error('Decided on a missing proforma');
      };

      it('is neither found nor changed when it does not exist', async () => {
        expect(await given.orders.find(given.appId, UNKNOWN)).toBeUndefined();
        expect(await given.orders.change(given.appId, UNKNOWN, never)).toBeUndefined();
        expect(await given.orders.changeUnlocked(given.appId, [UNKNOWN], never)).toEqual([]);
      });

      it('is neither found nor changed when another app owns it', async () => {
        const { id } = await shop.proforma(1);
        expect(await given.orders.find(given.otherAppId, id)).toBeUndefined();
        expect(await given.orders.change(given.otherAppId, id, never)).toBeUndefined();
        expect(await given.orders.changeUnlocked(given.otherAppId, [id], never)).toEqual([]);
      });
    });

    describe('a change', () => {
      eachCase<[string, (at: ShirtShop) => readonly Decision[]]>(it, [
        ['an edit of tags', (at) => [at.tagging('urgent', 'VIP')]],
        ['a payment', (at) => [at.paying(700)]],
        ['a payment of the whole debt', (at) => [at.paying(0)]],
        ['a full confirmation', (at) => [at.confirming(2, 3)]],
        ['a partial confirmation', (at) => [at.paying(0), at.confirming(2, 1)]],
        ['a confirmation of nothing', (at) => [at.paying(0), at.confirming(0, 0)]],
        ['a completed refund', (at) => [at.paying(0), at.confirming(2, 1), at.refunding('refunded')]],
        ['a failed refund', (at) => [at.paying(0), at.confirming(2, 1), at.refunding('failed')]],
        ['a cancellation', (at) => [at.paying(700), at.canceling()]],
        ['a conversion', (at) => [at.paying(0), at.confirming(2, 1), at.converting()]],
        ['an expiry', (at) => [at.paying(700), at.expire()]],
        ['an alert', (at) => [at.paying(0), at.expire()]],
      ])('stores %s', async (_, decisions) => {
        const draft = await shop.proforma(2, 3);
        const steps = decisions(shop);
        await shop.change(draft, ...steps.slice(0, -1), (found) => ({ next: found }));
        const before = await shop.found(draft);
        const stored = await shop.change(draft, ...steps.slice(-1));
        expect(stored.refusal).toBeUndefined();
        expect(stored.before).toEqual(before);
        expect(stored.proforma).not.toEqual(before);
        expect(await shop.found(draft)).toEqual(stored.proforma);
      });

      it('returns the same proforma when nothing changes', async () => {
        const stored = await shop.change(await shop.proforma(1), (found) => ({ next: found }));
        expect(stored.proforma).toBe(stored.before);
      });

      it('stores nothing when refused', async () => {
        const draft = await shop.proforma(2);
        const refusal = { refused: 'Not today' };
        const stored = await shop.change(draft, (found) => ({ next: found, refusal }));
        expect(stored).toEqual({ before: draft, proforma: draft, refusal });
        expect(await shop.found(draft)).toEqual(draft);
      });

      it('stores the expiry when refused after the deadline', async () => {
        const draft = await shop.proforma(2);
        const stored = await shop.change(draft, (found) => ({ ...shop.expire()(found), refusal: ALREADY_FINAL }));
        expect(stored.refusal).toEqual(ALREADY_FINAL);
        expect(stored.proforma.status).toBe('expired');
        expect(await shop.found(draft)).toEqual(stored.proforma);
        expect(await shop.reserved()).toBe(0);
      });

      it('stores nothing when the decision throws', async () => {
        const draft = await shop.proforma(2);
        const bug: Decision = () => {
          throw new Error('A bug');
        };
        await expect(shop.change(draft, bug)).rejects.toThrow('A bug');
        expect(await shop.found(draft)).toEqual(draft);
      });

      it('is not lost among many at once', async () => {
        const draft = await shop.proforma(1);
        const tags = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
        await Promise.all(tags.map((tag) => shop.change(draft, (found) => shop.tagging(...found.tags, tag)(found))));
        expect([...((await shop.found(draft))?.tags ?? [])].sort()).toEqual(tags);
      });
    });

    describe('new payments', () => {
      it('get ascending ids and keep them', async () => {
        const draft = await shop.proforma(5);
        const twice = await shop.change(draft, (found) => shop.paying(200)(shop.paying(100)(found).next));
        const [first = 0, second = 0] = twice.proforma.payments.map((payment) => payment.id);
        expect(first).toBeGreaterThan(0);
        expect(second).toBeGreaterThan(first);
        const { proforma } = await shop.change(draft, shop.paying(300), shop.canceling(), shop.refunding('refunded'));
        const ids = proforma.payments.map((payment) => payment.id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(proforma.payments).toMatchObject([
          { id: first, amount: 100, status: 'settled' },
          { id: second, amount: 200, status: 'settled' },
          { amount: 300, status: 'settled' },
          { amount: -300, status: 'refunded', refundOf: ids[2] },
          { amount: -200, status: 'refunded', refundOf: second },
          { amount: -100, status: 'refunded', refundOf: first },
        ]);
      });

      it('belong to their own proforma when several change at once', async () => {
        const drafts = [await shop.proforma(1), await shop.proforma(1), await shop.proforma(1)];
        const ids = drafts.map((draft) => draft.id);
        const stored = await given.orders.changeUnlocked(given.appId, ids, (found) => shop.paying(found.id)(found));
        expect(stored).toHaveLength(3);
        expect(new Set(stored.flatMap(({ proforma }) => proforma.payments.map((payment) => payment.id))).size).toBe(3);
        for (const { proforma } of stored) {
          expect(proforma.payments).toMatchObject([{ amount: proforma.id }]);
          expect(await shop.found(proforma)).toEqual(proforma);
        }
      });
    });

    describe('a new refund', () => {
      const keysOf = ({ payments }: Proforma) => payments.map(({ keyPart }) => keyPart);

      it('gets a random key part and keeps it', async () => {
        const draft = await shop.proforma(5);
        const { proforma } = await shop.change(draft, shop.paying(0), shop.confirming(4));
        expect(keysOf(proforma)).toEqual([null, expect.stringMatching(/^[\w-]{8,24}$/)]);
        expect(keysOf((await shop.change(draft, shop.refunding('failed'))).proforma)).toEqual(keysOf(proforma));
        const { id = 0 } = proforma.payments[1] ?? {};
        const again = await shop.change(draft, (found) => ({
          next: retryRefund(found, { refundId: id, now: given.now() }),
        }));
        expect(keysOf(again.proforma)).toEqual(keysOf(proforma));
        expect(await shop.found(draft)).toEqual(again.proforma);
      });

      it('has a unique key part, also across databases', async () => {
        const parts = [];
        for (const each of [shop, shop, await ShirtShop.open(await setUp())]) {
          const { proforma } = await each.change(await each.proforma(2), each.paying(0), each.canceling());
          parts.push(...proforma.payments.flatMap(({ keyPart }) => keyPart ?? []));
        }
        expect(parts).toHaveLength(3);
        expect(new Set(parts).size).toBe(3);
      });
    });

    describe('a converted proforma', () => {
      it('keeps its order', async () => {
        const { proforma } = await shop.change(await shop.proforma(1), shop.paying(0), shop.converting());
        expect(proforma.orderId).toBeGreaterThan(0);
        const alerted = await shop.change(proforma, (found) => ({
          next: { ...found, updatedAt: addHours(given.now(), 1) },
        }));
        expect(alerted.proforma.orderId).toBe(proforma.orderId);
      });

      it('keeps the payments of its conversion', async () => {
        const draft = await shop.proforma(2);
        const { proforma } = await shop.change(draft, shop.paying(0), shop.confirming(1), shop.converting());
        const settled = await shop.change(draft, shop.refunding('refunded'));
        expect(settled.proforma.payments).toMatchObject([{ amount: 2000 }, { amount: -1000, status: 'refunded' }]);
        expect(settled.proforma.converted).toEqual(proforma.converted);
        expect(proforma.converted?.payments).toMatchObject([{ amount: 2000 }, { amount: -1000, status: 'pending' }]);
        expect(await shop.found(draft)).toEqual(settled.proforma);
      });
    });
  });
}

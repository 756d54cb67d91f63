import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { insufficientStock } from '../index.js';
import { accepted, ShirtShop, type ProformaOrdersSetUp } from './shirt-shop.js';

const SOLD_OUT = insufficientStock('Shirt');
const UNKNOWN = 987_654_321_987;

/** Tests of reservations. */
export function proformaStockContract(
  { describe, it, beforeEach }: Runner,
  setUp: () => Promise<ProformaOrdersSetUp>,
): void {
  describe('the stock of proformas', () => {
    let given: ProformaOrdersSetUp;
    let shop: ShirtShop;

    beforeEach(async () => {
      given = await setUp();
      shop = await ShirtShop.open(given);
    });

    describe('a confirmed line', () => {
      it('keeps its place', async () => {
        const draft = await shop.proforma(4, 3, 2);
        const { proforma } = await shop.change(draft, shop.confirming(1, 3, 2), shop.confirming(2, 3, 2));
        const confirmed = draft.lines.map(({ id }, index) => [id, [2, 3, 2][index]]);
        expect(proforma.lines.map(({ id, qtyConfirmed }) => [id, qtyConfirmed])).toEqual(confirmed);
        expect(await shop.found(draft)).toEqual(proforma);
      });
    });

    describe('reserved stock', () => {
      it('follows the confirmed quantities', async () => {
        const draft = await shop.proforma(4, 3);
        await shop.change(draft, shop.confirming(1, 0));
        expect(await shop.reserved()).toBe(1);
        await shop.change(draft, shop.confirming(2, 3));
        expect(await shop.reserved()).toBe(5);
      });

      it('is released by a cancellation and by an expiry', async () => {
        const [canceled, expired] = [await shop.proforma(4), await shop.proforma(3)];
        await shop.change(canceled, shop.canceling());
        expect(await shop.reserved()).toBe(3);
        await shop.change(expired, shop.expire());
        expect(await shop.reserved()).toBe(0);
      });

      it('stays after conversion', async () => {
        await shop.change(await shop.proforma(4), shop.confirming(3), shop.converting());
        expect(await shop.reserved()).toBe(3);
      });

      it('cannot be raised again once another proforma took the pieces', async () => {
        const draft = await shop.proforma(6);
        const { proforma: reduced } = await shop.change(draft, shop.paying(0), shop.confirming(2));
        await shop.proforma(7);
        const raised = await shop.change(draft, (found) => {
          const { next } = shop.confirming(4)(found);
          return { next: { ...next, tags: ['raised'] } };
        });
        expect(raised).toEqual({ before: reduced, proforma: reduced, refusal: SOLD_OUT });
        expect(await shop.found(draft)).toEqual(reduced);
        expect(await shop.reserved()).toBe(9);
      });

      it('moves to another allowed warehouse when its own has too little', async () => {
        const hat = await given.variantWithStock(given.appId, { W1: 5, W2: 4 }, { name: 'Hat' });
        const made = async (qty: number, warehouseCode?: string) =>
          accepted(
            await shop.propose(await given.makeEvaluation(given.appId, [{ variantId: hat, qty }], warehouseCode)),
          );
        const [free, bound] = [await made(4), await made(1, 'W1')];
        await shop.change(free, shop.confirming(1));
        await shop.change(bound, shop.confirming(0));
        await made(4, 'W1');
        const moved = await shop.change(free, shop.confirming(3));
        expect(moved.refusal).toBeUndefined();
        expect(moved.proforma.lines).toMatchObject([{ qtyConfirmed: 3, warehouseCode: 'W2' }]);
        expect(await shop.found(free)).toEqual(moved.proforma);
        expect(await shop.reserved(hat)).toBe(4 + 3);
        await made(1, 'W1');
        expect((await shop.change(bound, shop.confirming(1))).refusal).toEqual(insufficientStock('Hat'));
        await shop.change(free, shop.canceling());
        expect(await shop.reserved(hat)).toBe(5);
      });

      it('never moves to a warehouse that does not sell', async () => {
        const stock = { W1: 2, W2: 9 };
        const hat = await given.variantWithStock(given.appId, stock, { name: 'Hat', notSellableIn: 'W2' });
        const made = async () =>
          accepted(await shop.propose(await given.makeEvaluation(given.appId, [{ variantId: hat, qty: 2 }])));
        const cut = await made();
        await shop.change(cut, shop.confirming(0));
        await made();
        expect((await shop.change(cut, shop.confirming(2))).refusal).toEqual(insufficientStock('Hat'));
      });

      it('can move between lines when nothing else is available', async () => {
        const draft = await shop.proforma(5, 5);
        await shop.change(draft, shop.confirming(5, 2));
        await shop.proforma(3);
        const moved = await shop.change(draft, shop.confirming(2, 5));
        expect(moved.refusal).toBeUndefined();
        expect(moved.proforma.lines.map((line) => line.qtyConfirmed)).toEqual([2, 5]);
        expect(await shop.reserved()).toBe(10);
      });
    });

    describe('changeUnlocked', () => {
      it('skips unknown proformas and those of other apps', async () => {
        const mine = await shop.proforma(1);
        const foreign = await (await ShirtShop.open(given, given.otherAppId)).proforma(1);
        const stored = await given.orders.changeUnlocked(given.appId, [UNKNOWN, foreign.id, mine.id], shop.expire());
        expect(stored.map(({ proforma }) => [proforma.id, proforma.status])).toEqual([[mine.id, 'expired']]);
      });

      it('skips locked proformas', async () => {
        if (given.whileLocked === undefined) return;
        const [free, busy] = [await shop.proforma(1), await shop.proforma(2)];
        const stored = await given.whileLocked(given.appId, busy.id, () =>
          given.orders.changeUnlocked(given.appId, [busy.id, free.id], shop.expire()),
        );
        expect(stored.map(({ proforma }) => [proforma.id, proforma.status])).toEqual([[free.id, 'expired']]);
        expect(await shop.found(busy)).toEqual(busy);
        expect(await shop.reserved()).toBe(2);
      });

      it('shares the available stock', async () => {
        const drafts = [await shop.proforma(4), await shop.proforma(4)];
        for (const draft of drafts) await shop.change(draft, shop.confirming(1));
        await shop.proforma(4);
        const ids = drafts.map((draft) => draft.id);
        const stored = await given.orders.changeUnlocked(given.appId, ids, shop.confirming(4));
        expect(stored.map(({ refusal }) => refusal)).toEqual(expect.arrayContaining([undefined, SOLD_OUT]));
        expect(await shop.reserved()).toBe(9);
      });
    });
  });
}

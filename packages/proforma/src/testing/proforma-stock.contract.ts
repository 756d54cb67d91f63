import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { insufficientStock } from '../index.js';
import { assertAccepted, ShirtShop, type ProformaOrdersFixture } from './shirt-shop.js';

const SOLD_OUT = insufficientStock('Shirt');
const UNKNOWN = 987_654_321_987;

export function proformaStockContract(
  { describe, it, beforeEach }: Runner,
  openFixture: () => Promise<ProformaOrdersFixture>,
): void {
  describe('the stock of proformas', () => {
    let fixture: ProformaOrdersFixture;
    let shop: ShirtShop;

    beforeEach(async () => {
      fixture = await openFixture();
      shop = await ShirtShop.open(fixture);
    });

    describe('a line with a changed confirmed quantity', () => {
      it('keeps its position among the lines', async () => {
        const draft = await shop.proforma(4, 3, 2);
        const { proforma } = await shop.change(draft, shop.confirmation(1, 3, 2), shop.confirmation(2, 3, 2));
        const expectedQuantities = draft.lines.map(({ id }, index) => [id, [2, 3, 2][index]]);
        expect(proforma.lines.map(({ id, qtyConfirmed }) => [id, qtyConfirmed])).toEqual(expectedQuantities);
        expect(await shop.find(draft)).toEqual(proforma);
      });
    });

    describe('reserved stock', () => {
      it('equals the confirmed quantities', async () => {
        const draft = await shop.proforma(4, 3);
        await shop.change(draft, shop.confirmation(1, 0));
        expect(await shop.reservedPieces()).toBe(1);
        await shop.change(draft, shop.confirmation(2, 3));
        expect(await shop.reservedPieces()).toBe(5);
      });

      it('is released when the proforma is canceled or expires', async () => {
        const [canceledProforma, expiredProforma] = [await shop.proforma(4), await shop.proforma(3)];
        await shop.change(canceledProforma, shop.cancellation());
        expect(await shop.reservedPieces()).toBe(3);
        await shop.change(expiredProforma, shop.expiry());
        expect(await shop.reservedPieces()).toBe(0);
      });

      it('is kept after the conversion', async () => {
        await shop.change(await shop.proforma(4), shop.confirmation(3), shop.conversion());
        expect(await shop.reservedPieces()).toBe(3);
      });

      it('cannot be increased once another proforma has reserved the released pieces', async () => {
        const draft = await shop.proforma(6);
        const { proforma: reducedProforma } = await shop.change(draft, shop.payment(0), shop.confirmation(2));
        await shop.proforma(7);
        const refusedChange = await shop.change(draft, (proforma) => {
          const { next } = shop.confirmation(4)(proforma);
          return { next: { ...next, tags: ['raised'] } };
        });
        expect(refusedChange).toMatchObject({ before: reducedProforma, proforma: reducedProforma, refusal: SOLD_OUT });
        expect(await shop.find(draft)).toEqual(reducedProforma);
        expect(await shop.reservedPieces()).toBe(9);
      });

      it('moves to another allowed warehouse when its own has too few pieces', async () => {
        const hat = await fixture.variantWithStock(fixture.appId, { W1: 5, W2: 4 }, { name: 'Hat' });
        const propose = async (qty: number, warehouseCode?: string) =>
          assertAccepted(
            await shop.propose(await fixture.makeEvaluation(fixture.appId, [{ variantId: hat, qty }], warehouseCode)),
          );
        const [unrestrictedProforma, restrictedProforma] = [await propose(4), await propose(1, 'W1')];
        await shop.change(unrestrictedProforma, shop.confirmation(1));
        await shop.change(restrictedProforma, shop.confirmation(0));
        await propose(4, 'W1');
        const movedChange = await shop.change(unrestrictedProforma, shop.confirmation(3));
        expect(movedChange.refusal).toBeUndefined();
        expect(movedChange.proforma.lines).toMatchObject([{ qtyConfirmed: 3, warehouseCode: 'W2' }]);
        expect(await shop.find(unrestrictedProforma)).toEqual(movedChange.proforma);
        expect(await shop.reservedPieces(hat)).toBe(4 + 3);
        await propose(1, 'W1');
        expect((await shop.change(restrictedProforma, shop.confirmation(1))).refusal).toMatchObject(
          insufficientStock('Hat'),
        );
        await shop.change(unrestrictedProforma, shop.cancellation());
        expect(await shop.reservedPieces(hat)).toBe(5);
      });

      it('never moves to a warehouse that is not sellable', async () => {
        const stock = { W1: 2, W2: 9 };
        const hat = await fixture.variantWithStock(fixture.appId, stock, { name: 'Hat', notSellableIn: 'W2' });
        const propose = async () =>
          assertAccepted(await shop.propose(await fixture.makeEvaluation(fixture.appId, [{ variantId: hat, qty: 2 }])));
        const reducedProforma = await propose();
        await shop.change(reducedProforma, shop.confirmation(0));
        await propose();
        expect((await shop.change(reducedProforma, shop.confirmation(2))).refusal).toMatchObject(
          insufficientStock('Hat'),
        );
      });

      it('can be moved from one line to another when no other pieces are available', async () => {
        const draft = await shop.proforma(5, 5);
        await shop.change(draft, shop.confirmation(5, 2));
        await shop.proforma(3);
        const movedChange = await shop.change(draft, shop.confirmation(2, 5));
        expect(movedChange.refusal).toBeUndefined();
        expect(movedChange.proforma.lines.map((line) => line.qtyConfirmed)).toEqual([2, 5]);
        expect(await shop.reservedPieces()).toBe(10);
      });
    });

    describe('changeUnlocked', () => {
      it('skips unknown proformas and those of other apps', async () => {
        const ownProforma = await shop.proforma(1);
        const foreignProforma = await (await ShirtShop.open(fixture, fixture.otherAppId)).proforma(1);
        const storedChanges = await fixture.orders.changeUnlocked(
          fixture.appId,
          [UNKNOWN, foreignProforma.id, ownProforma.id],
          shop.expiry(),
        );
        expect(storedChanges.map(({ proforma }) => [proforma.id, proforma.status])).toEqual([
          [ownProforma.id, 'expired'],
        ]);
      });

      it('skips locked proformas', async () => {
        if (fixture.whileLocked === undefined) return;
        const [freeProforma, lockedProforma] = [await shop.proforma(1), await shop.proforma(2)];
        const storedChanges = await fixture.whileLocked(fixture.appId, lockedProforma.id, () =>
          fixture.orders.changeUnlocked(fixture.appId, [lockedProforma.id, freeProforma.id], shop.expiry()),
        );
        expect(storedChanges.map(({ proforma }) => [proforma.id, proforma.status])).toEqual([
          [freeProforma.id, 'expired'],
        ]);
        expect(await shop.find(lockedProforma)).toEqual(lockedProforma);
        expect(await shop.reservedPieces()).toBe(2);
      });

      it('shares the available stock among the proformas', async () => {
        const drafts = [await shop.proforma(4), await shop.proforma(4)];
        for (const draft of drafts) await shop.change(draft, shop.confirmation(1));
        await shop.proforma(4);
        const ids = drafts.map((draft) => draft.id);
        const storedChanges = await fixture.orders.changeUnlocked(fixture.appId, ids, shop.confirmation(4));
        expect(storedChanges.map(({ refusal }) => refusal)).toEqual(
          expect.arrayContaining([undefined, expect.objectContaining(SOLD_OUT)]),
        );
        expect(await shop.reservedPieces()).toBe(9);
      });
    });
  });
}

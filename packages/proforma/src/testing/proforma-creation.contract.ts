import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { insufficientStock, STALE_EVALUATION, WRONG_APP } from '../index.js';
import { assertAccepted, ShirtShop, type ProformaOrdersFixture } from './shirt-shop.js';

const SOLD_OUT = insufficientStock('Shirt');
const UNKNOWN = 987_654_321_987;

export function proformaCreationContract(
  { describe, it, beforeEach }: Runner,
  openFixture: () => Promise<ProformaOrdersFixture>,
): void {
  describe('a new proforma', () => {
    let fixture: ProformaOrdersFixture;
    let shop: ShirtShop;

    beforeEach(async () => {
      fixture = await openFixture();
      shop = await ShirtShop.open(fixture);
    });

    describe('an evaluation of a basket', () => {
      it('becomes a proforma that can be found', async () => {
        const proforma = await shop.proforma(2, 3);
        expect(proforma.id).toBeGreaterThan(0);
        expect(new Set(proforma.lines.map((line) => line.id)).size).toBe(2);
        expect(proforma).toMatchObject({ status: 'draft', endSales: 5000, payments: [], orderId: null });
        expect(await shop.find(proforma)).toEqual(proforma);
      });

      it('reserves the stock of its lines', async () => {
        await shop.proforma(2, 3);
        expect(await fixture.stockOf(fixture.appId, shop.shirt)).toEqual({ onHand: 10, reserved: 5 });
      });

      it('cannot become a second proforma', async () => {
        const evaluation = await shop.evaluate(2);
        assertAccepted(await shop.propose(evaluation));
        expect(await shop.propose(evaluation)).toEqual(STALE_EVALUATION);
        expect(await shop.reservedPieces()).toBe(2);
      });

      it('becomes only one proforma in concurrent calls', async () => {
        const evaluation = await shop.evaluate(1);
        const results = await Promise.all([1, 2, 3, 4, 5].map(() => shop.propose(evaluation)));
        expect(results.filter((result) => 'refused' in result)).toEqual(Array(4).fill(STALE_EVALUATION));
        expect(await shop.reservedPieces()).toBe(1);
      });

      it('is refused in another app, and stays usable in its own', async () => {
        const otherShop = await ShirtShop.open(fixture, fixture.otherAppId);
        const evaluation = await otherShop.evaluate(2);
        expect(await shop.propose(evaluation)).toEqual(WRONG_APP);
        expect(await otherShop.reservedPieces()).toBe(0);
        expect(assertAccepted(await otherShop.propose(evaluation)).status).toBe('draft');
      });

      it('counts as stale when it does not exist', async () => {
        expect(await shop.propose(UNKNOWN)).toEqual(STALE_EVALUATION);
      });

      it('reserves nothing and does not become stale when stock is insufficient', async () => {
        const evaluation = await shop.evaluate(4, 7);
        expect(await shop.propose(evaluation)).toMatchObject(SOLD_OUT);
        expect(await shop.reservedPieces()).toBe(0);
        expect(await shop.propose(evaluation)).toMatchObject(SOLD_OUT);
      });

      it('stays usable after a refusal', async () => {
        const evaluation = await shop.evaluate(1);
        const refusal = { refused: 'Not today' };
        expect(await fixture.orders.create(fixture.appId, evaluation, () => refusal)).toEqual(refusal);
        expect(assertAccepted(await shop.propose(evaluation)).status).toBe('draft');
      });

      it('becomes a proforma with another number when the first number is in use', async () => {
        const { number } = await shop.proforma(1);
        const otherShop = await ShirtShop.open(fixture, fixture.otherAppId);
        expect(assertAccepted(await otherShop.propose(await otherShop.evaluate(1), { number })).number).toBe(number);

        const numbers = [number, number, 'P-2026-FREE00'];
        const evaluation = await shop.evaluate(1);
        const secondProforma = await shop.propose(evaluation, {
          get number() {
            return numbers.shift() ?? 'none';
          },
        });
        expect(assertAccepted(secondProforma).number).toBe('P-2026-FREE00');
        expect(await shop.reservedPieces()).toBe(2);
      });
    });

    describe('the last pieces of a variant', () => {
      it('are not oversold by concurrent calls', async () => {
        const evaluations = await Promise.all(Array.from({ length: 8 }, () => shop.evaluate(3)));
        const results = await Promise.all(evaluations.map((evaluation) => shop.propose(evaluation)));
        expect(results.filter((result) => 'refused' in result)).toMatchObject(Array(5).fill(SOLD_OUT));
        expect(await shop.reservedPieces()).toBe(9);
      });
    });

    describe('the stock for a new proforma', () => {
      it('comes only from the warehouse that the evaluation requires', async () => {
        const coat = await fixture.variantWithStock(fixture.appId, { W1: 1, W2: 5 }, { name: 'Coat' });
        const evaluateIn = (qty: number): Promise<number> =>
          fixture.makeEvaluation(fixture.appId, [{ variantId: coat, qty }], 'W1');
        expect(await shop.propose(await evaluateIn(2))).toMatchObject(insufficientStock('Coat'));
        expect(assertAccepted(await shop.propose(await evaluateIn(1))).lines).toMatchObject([{ warehouseCode: 'W1' }]);
      });

      it('does not come from a warehouse that is not sellable', async () => {
        const coat = await fixture.variantWithStock(
          fixture.appId,
          { W8: 1, W9: 5 },
          { name: 'Coat', notSellableIn: 'W9' },
        );
        const evaluate = (qty: number): Promise<number> =>
          fixture.makeEvaluation(fixture.appId, [{ variantId: coat, qty }]);
        expect(await shop.propose(await evaluate(2))).toMatchObject(insufficientStock('Coat'));
        expect(assertAccepted(await shop.propose(await evaluate(1))).lines).toMatchObject([{ warehouseCode: 'W8' }]);
      });
    });
  });
}

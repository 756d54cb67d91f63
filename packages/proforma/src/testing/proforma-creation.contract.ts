import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { insufficientStock, STALE_EVALUATION, WRONG_APP } from '../index.js';
import { accepted, ShirtShop, type ProformaOrdersSetUp } from './shirt-shop.js';

const SOLD_OUT = insufficientStock('Shirt');
const UNKNOWN = 987_654_321_987;

/** Tests of `create`. */
export function proformaCreationContract(
  { describe, it, beforeEach }: Runner,
  setUp: () => Promise<ProformaOrdersSetUp>,
): void {
  describe('a new proforma', () => {
    let given: ProformaOrdersSetUp;
    let shop: ShirtShop;

    beforeEach(async () => {
      given = await setUp();
      shop = await ShirtShop.open(given);
    });

    describe('an evaluation', () => {
      it('becomes a proforma that can be found', async () => {
        const proforma = await shop.proforma(2, 3);
        expect(proforma.id).toBeGreaterThan(0);
        expect(new Set(proforma.lines.map((line) => line.id)).size).toBe(2);
        expect(proforma).toMatchObject({ status: 'draft', endSales: 5000, payments: [], orderId: null });
        expect(await shop.found(proforma)).toEqual(proforma);
      });

      it('reserves the stock of its lines', async () => {
        await shop.proforma(2, 3);
        expect(await given.stockOf(given.appId, shop.shirt)).toEqual({ onHand: 10, reserved: 5 });
      });

      it('makes no second proforma', async () => {
        const evaluation = await shop.evaluate(2);
        accepted(await shop.propose(evaluation));
        expect(await shop.propose(evaluation)).toEqual(STALE_EVALUATION);
        expect(await shop.reserved()).toBe(2);
      });

      it('makes one proforma for concurrent calls', async () => {
        const evaluation = await shop.evaluate(1);
        const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => shop.propose(evaluation)));
        expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual(Array(4).fill(STALE_EVALUATION));
        expect(await shop.reserved()).toBe(1);
      });

      it('of another app is refused and stays usable there', async () => {
        const other = await ShirtShop.open(given, given.otherAppId);
        const evaluation = await other.evaluate(2);
        expect(await shop.propose(evaluation)).toEqual(WRONG_APP);
        expect(await other.reserved()).toBe(0);
        expect(accepted(await other.propose(evaluation)).status).toBe('draft');
      });

      it('that does not exist is stale', async () => {
        expect(await shop.propose(UNKNOWN)).toEqual(STALE_EVALUATION);
      });

      it('reserves nothing when stock is insufficient, and can be retried', async () => {
        const evaluation = await shop.evaluate(4, 7);
        expect(await shop.propose(evaluation)).toEqual(SOLD_OUT);
        expect(await shop.reserved()).toBe(0);
        expect(await shop.propose(evaluation)).toEqual(SOLD_OUT);
      });

      it('stays usable after a refusal', async () => {
        const evaluation = await shop.evaluate(1);
        const refusal = { refused: 'Not today' };
        expect(await given.orders.create(given.appId, evaluation, () => refusal)).toEqual(refusal);
        expect(accepted(await shop.propose(evaluation)).status).toBe('draft');
      });

      it('is decided again when the number is taken in its app', async () => {
        const { number } = await shop.proforma(1);
        const other = await ShirtShop.open(given, given.otherAppId);
        expect(accepted(await other.propose(await other.evaluate(1), { number })).number).toBe(number);

        const numbers = [number, number, 'P-2026-FREE00'];
        const evaluation = await shop.evaluate(1);
        const second = await shop.propose(evaluation, {
          get number() {
            return numbers.shift() ?? 'none';
          },
        });
        expect(accepted(second).number).toBe('P-2026-FREE00');
        expect(await shop.reserved()).toBe(2);
      });
    });

    describe('the last pieces', () => {
      it('are not oversold to concurrent calls', async () => {
        const evaluations = await Promise.all(Array.from({ length: 8 }, () => shop.evaluate(3)));
        const outcomes = await Promise.all(evaluations.map((evaluation) => shop.propose(evaluation)));
        expect(outcomes.filter((outcome) => 'refused' in outcome)).toEqual(Array(5).fill(SOLD_OUT));
        expect(await shop.reserved()).toBe(9);
      });
    });

    describe('stock', () => {
      it('comes only from the warehouse that the evaluation names', async () => {
        const coat = await given.variantWithStock(given.appId, { W1: 1, W2: 5 }, { name: 'Coat' });
        const served = (qty: number): Promise<number> =>
          given.makeEvaluation(given.appId, [{ variantId: coat, qty }], 'W1');
        expect(await shop.propose(await served(2))).toEqual(insufficientStock('Coat'));
        expect(accepted(await shop.propose(await served(1))).lines).toMatchObject([{ warehouseCode: 'W1' }]);
      });

      it('does not come from a warehouse that does not sell', async () => {
        const coat = await given.variantWithStock(given.appId, { W8: 1, W9: 5 }, { name: 'Coat', notSellableIn: 'W9' });
        const wanted = (qty: number): Promise<number> => given.makeEvaluation(given.appId, [{ variantId: coat, qty }]);
        expect(await shop.propose(await wanted(2))).toEqual(insufficientStock('Coat'));
        expect(accepted(await shop.propose(await wanted(1))).lines).toMatchObject([{ warehouseCode: 'W8' }]);
      });
    });
  });
}

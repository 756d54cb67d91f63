import { addHours } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Basket } from '../index.js';
import { aBasket } from './a-basket.js';
import { EvaluationShop, type GivenEvaluations } from './given-evaluations.js';

const UNKNOWN = 987_654_321_987;

/** The adapter may hold baskets of other apps. */
export function evaluationsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenEvaluations>,
): void {
  let given: GivenEvaluations;
  let app: EvaluationShop;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    app = await EvaluationShop.open(given);
  });

  describe('a basket', () => {
    it('is priced, kept for 24 hours and found', async () => {
      const evaluated = await app.evaluate({ comment: 'Ring twice', tags: ['vip'] });
      const line = { ...app.shirt, code: 'S', barcode: '860', name: 'S', qty: 2, price: 1_200, vatRate: 2_000 };
      expect(evaluated).toMatchObject({
        buyer: aBasket().guest,
        delivery: aBasket().delivery,
        items: [{ ...line, sales: 2_400, discount: 0, promotions: [] }],
        fees: [],
        promotions: [],
        vouchers: [],
        currency: 'RSD',
        comment: 'Ring twice',
        tags: ['vip'],
        sales: 2_400,
        discount: 0,
        net_sales: 2_000,
        vat: 400,
        end_sales: 2_400,
        expires_at: addHours(given.clock.now(), 24),
        consumed_at: null,
      });
      expect(await given.evaluationQueries.find(app.id, evaluated.id)).toMatchObject(evaluated as object);
    });

    it('belongs to its app', async () => {
      const { id } = await app.evaluate();
      expect(await given.evaluationQueries.find(await given.makeApp(), id)).toBeUndefined();
      expect(await given.evaluationQueries.find(app.id, UNKNOWN)).toBeUndefined();
    });

    it('in another currency than the app’s is refused', async () => {
      await expect(app.tryToEvaluate({ currency: 'EUR' })).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    });

    it('keeps its prices when the catalogue changes', async () => {
      const { id } = await app.evaluate();
      await given.addGoods(app.id, { code: 'S', price: 9_900 });
      expect(await given.evaluationQueries.find(app.id, id)).toMatchObject({ end_sales: 2_400 });
    });
  });

  describe('an item', () => {
    eachCase(it, [
      ['code', { code: 'S' }],
      ['barcode', { barcode: '860' }],
      ['external reference', { external_ref: 'ref' }],
      ['first identifier that finds a variant', { code: 'none', barcode: '860' }],
    ])('is found by its %s', async (_, name) => {
      expect((await app.evaluate({ items: [{ ...name, qty: 1 }] })).items).toMatchObject([{ code: 'S' }]);
    });

    it('is found by the id of its variant', async () => {
      const items = [{ product_variant_id: app.shirt.variantId, qty: 1 }];
      expect((await app.evaluate({ items })).items).toMatchObject([{ code: 'S' }]);
    });

    eachCase(it, [
      { code: 's' },
      { code: 'S ' },
      { barcode: '86' },
      { code: null },
      {},
      { product_variant_id: UNKNOWN },
    ])('named %j is not found', async (name) => {
      expect(await app.refusalOf({ items: [{ ...name, qty: 1 }] })).toBe('API.Products.NotFound');
    });

    it('of another app is not found', async () => {
      const { variantId } = await given.addGoods(await given.makeApp(), { code: 'T' });
      expect(await app.refusalOf({ items: [{ product_variant_id: variantId, qty: 1 }] })).toBe('API.Products.NotFound');
    });

    it('prefers price and VAT of its variant to those of its product', async () => {
      await given.addGoods(app.id, {
        code: 'T',
        price: 1_000,
        vatRate: 1_000,
        variantValues: { price: 700, vatRate: 2_000 },
      });
      const { items } = await app.evaluate({ items: [{ code: 'T', qty: 1 }] });
      expect(items).toMatchObject([{ price: 700, vatRate: 2_000 }]);
    });

    it('is refused when inactive or without price, but not without VAT', async () => {
      await given.addGoods(app.id, { code: 'off', active: false });
      await given.addGoods(app.id, { code: 'free', price: null });
      await given.addGoods(app.id, { code: 'untaxed', price: 500, vatRate: null });
      expect(await app.refusalOf({ items: [{ code: 'off', qty: 1 }] })).toBe('API.Products.NotFound');
      expect(await app.refusalOf({ items: [{ code: 'free', qty: 1 }] })).toBe('API.Products.MissingPrice');
      const { items, vat } = await app.evaluate({ items: [{ code: 'untaxed', qty: 1 }] });
      expect([items, vat]).toMatchObject([[{ vatRate: null, sales: 500 }], 0]);
    });
  });

  describe('a customer', () => {
    it('is frozen as the buyer, by parts or by reference', async () => {
      const { id, data_part: dataPart, time_part: timePart } = await given.addCustomer(app.id, { external_ref: 'c1' });
      const buyer = { id, dataPart, timePart, firstName: 'Ana', lastName: 'Kos', phone: null };
      expect((await app.evaluate({ customer: { id, dataPart, timePart } })).buyer).toMatchObject(buyer);
      expect((await app.evaluate({ customer: { externalRef: 'c1' } })).buyer).toMatchObject(buyer);
    });

    it('is not found with other parts, in another app or when unknown', async () => {
      const { id, data_part: dataPart, time_part: timePart } = await given.addCustomer(app.id);
      const foreign = await given.addCustomer(await given.makeApp(), { external_ref: 'c2' });
      for (const customer of [
        { id, dataPart: dataPart + 1, timePart },
        { id: foreign.id, dataPart: foreign.data_part, timePart: foreign.time_part },
        { externalRef: 'c2' },
      ]) {
        expect(await app.refusalOf({ customer })).toBe('API.Customers.NotFound');
      }
    });
  });

  describe('a warehouse', () => {
    it('is not found in another app or when deleted', async () => {
      await given.addWarehouse(await given.makeApp(), 'W1');
      const served = { warehouseCode: 'W1' };
      expect(await app.refusalOf(served)).toBe('API.Warehouses.NotFound');
      await given.addWarehouse(app.id, 'W1');
      expect(await app.evaluate(served)).toMatchObject({ end_sales: 2_400 });
      await given.deleteWarehouse(app.id, 'W1');
      expect(await app.refusalOf(served)).toBe('API.Warehouses.NotFound');
    });
  });

  describe('missing records', () => {
    it('are refused in order: customer, warehouse, shipment, items, coupon, voucher', async () => {
      await given.addWarehouse(app.id, 'W1');
      await given.setUp(app.id, 'shipment_methods', { code: 'post', name: 'Post', price: 1, vat_rate: 20 });
      const invalid: Partial<Basket> = {
        customer: { externalRef: 'x' },
        warehouseCode: 'x',
        shipmentMethodCode: 'x',
        items: [{ code: 'x', qty: 1 }],
        coupons: ['x'],
        vouchers: ['x'],
      };
      const corrections: Partial<Basket>[] = [
        { customer: null },
        { warehouseCode: 'W1' },
        { shipmentMethodCode: 'post' },
        { items: [{ code: 'S', qty: 1 }] },
        { coupons: [] },
      ];
      const refusals = [await app.refusalOf(invalid)];
      let basket = invalid;
      for (const part of corrections) refusals.push(await app.refusalOf((basket = { ...basket, ...part })));
      expect(refusals).toEqual([
        'API.Customers.NotFound',
        'API.Warehouses.NotFound',
        'API.ShipmentMethods.NotFound',
        'API.Products.NotFound',
        'API.Promotions.CouponNotFound',
        'API.Vouchers.NotAvailable',
      ]);
    });
  });
}

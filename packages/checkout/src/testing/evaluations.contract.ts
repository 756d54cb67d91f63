import { addHours } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Basket } from '../index.js';
import { aBasket } from './a-basket.js';
import { EvaluationShop, type EvaluationFixture } from './given-evaluations.js';

const UNKNOWN = 987_654_321_987;

export function evaluationsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<EvaluationFixture>,
): void {
  let fixture: EvaluationFixture;
  let shop: EvaluationShop;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    shop = await EvaluationShop.open(fixture);
  });

  describe('an evaluation without a proforma', () => {
    const find = (id: number) => fixture.evaluationQueries.find(shop.id, id);
    const removeAll = async () => {
      while (await fixture.evaluations.removeUnused());
    };

    it('is removed after 30 days', async () => {
      const first = await shop.evaluate();
      fixture.clock.forward({ hours: 24 });
      const second = await shop.evaluate();
      fixture.clock.forward({ hours: 24 * 29 });
      await removeAll();
      expect([await find(first.id), await find(second.id)]).toMatchObject([{ id: first.id }, { id: second.id }]);
      fixture.clock.forward({ hours: 1 });
      expect(await fixture.evaluations.removeUnused()).toBe(true);
      await removeAll();
      expect([await find(first.id), await find(second.id)]).toMatchObject([undefined, { id: second.id }]);
    });
  });

  describe('the evaluation of a basket', () => {
    it('has calculated prices, can be found, and is valid for 24 hours', async () => {
      const evaluatedBasket = await shop.evaluate({ comment: 'Ring twice', tags: ['vip'] });
      const line = { ...shop.shirt, code: 'S', barcode: '860', name: 'S', qty: 2, price: 1_200, vatRate: 2_000 };
      expect(evaluatedBasket).toMatchObject({
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
        expires_at: addHours(fixture.clock.now(), 24),
        consumed_at: null,
      });
      expect(await fixture.evaluationQueries.find(shop.id, evaluatedBasket.id)).toMatchObject(
        evaluatedBasket as object,
      );
    });

    it('is found only in its app', async () => {
      const { id } = await shop.evaluate();
      expect(await fixture.evaluationQueries.find(await fixture.makeApp(), id)).toBeUndefined();
      expect(await fixture.evaluationQueries.find(shop.id, UNKNOWN)).toBeUndefined();
    });

    it('throws in a currency other than that of the app', async () => {
      await expect(shop.tryToEvaluate({ currency: 'EUR' })).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    });

    it('keeps its prices when the catalogue changes later', async () => {
      const { id } = await shop.evaluate();
      await fixture.addGoods(shop.id, { code: 'S', price: 9_900 });
      expect(await fixture.evaluationQueries.find(shop.id, id)).toMatchObject({ end_sales: 2_400 });
    });
  });

  describe('an item of a basket', () => {
    eachCase(it, [
      ['code', { code: 'S' }],
      ['barcode', { barcode: '860' }],
      ['external reference', { external_ref: 'ref' }],
      ['the first identifier that finds a variant', { code: 'none', barcode: '860' }],
    ])('identifies its variant by %s', async (_, identifiers) => {
      expect((await shop.evaluate({ items: [{ ...identifiers, qty: 1 }] })).items).toMatchObject([{ code: 'S' }]);
    });

    it('may identify its variant by id', async () => {
      const items = [{ product_variant_id: shop.shirt.variantId, qty: 1 }];
      expect((await shop.evaluate({ items })).items).toMatchObject([{ code: 'S' }]);
    });

    eachCase(it, [
      { code: 's' },
      { code: 'S ' },
      { barcode: '86' },
      { code: null },
      {},
      { product_variant_id: UNKNOWN },
    ])('is not found when it has %j', async (identifiers) => {
      expect(await shop.refusalOf({ items: [{ ...identifiers, qty: 1 }] })).toBe('API.Products.NotFound');
    });

    it('is not found when another app has the variant', async () => {
      const { variantId } = await fixture.addGoods(await fixture.makeApp(), { code: 'T' });
      expect(await shop.refusalOf({ items: [{ product_variant_id: variantId, qty: 1 }] })).toBe(
        'API.Products.NotFound',
      );
    });

    it('prefers price and VAT of its variant to those of its product', async () => {
      await fixture.addGoods(shop.id, {
        code: 'T',
        price: 1_000,
        vatRate: 1_000,
        variantValues: { price: 700, vatRate: 2_000 },
      });
      const { items } = await shop.evaluate({ items: [{ code: 'T', qty: 1 }] });
      expect(items).toMatchObject([{ price: 700, vatRate: 2_000 }]);
    });

    it('is refused when it is inactive or has no price, but not when it has no VAT rate', async () => {
      await fixture.addGoods(shop.id, { code: 'off', active: false });
      await fixture.addGoods(shop.id, { code: 'free', price: null });
      await fixture.addGoods(shop.id, { code: 'untaxed', price: 500, vatRate: null });
      expect(await shop.refusalOf({ items: [{ code: 'off', qty: 1 }] })).toBe('API.Products.NotFound');
      expect(await shop.refusalOf({ items: [{ code: 'free', qty: 1 }] })).toBe('API.Products.MissingPrice');
      const { items, vat } = await shop.evaluate({ items: [{ code: 'untaxed', qty: 1 }] });
      expect([items, vat]).toMatchObject([[{ vatRate: null, sales: 500 }], 0]);
    });
  });

  describe('the customer of an evaluation', () => {
    it('is stored as the buyer, whether identified by id, data_part and time_part or by reference', async () => {
      const {
        id,
        data_part: dataPart,
        time_part: timePart,
      } = await fixture.addCustomer(shop.id, { external_ref: 'c1' });
      const buyer = { id, dataPart, timePart, firstName: 'Ana', lastName: 'Kos', phone: null };
      expect((await shop.evaluate({ customer: { id, dataPart, timePart } })).buyer).toMatchObject(buyer);
      expect((await shop.evaluate({ customer: { externalRef: 'c1' } })).buyer).toMatchObject(buyer);
    });

    it('is not found with another data_part or time_part, in another app or when unknown', async () => {
      const { id, data_part: dataPart, time_part: timePart } = await fixture.addCustomer(shop.id);
      const foreignCustomer = await fixture.addCustomer(await fixture.makeApp(), { external_ref: 'c2' });
      for (const customer of [
        { id, dataPart: dataPart + 1, timePart },
        { id: foreignCustomer.id, dataPart: foreignCustomer.data_part, timePart: foreignCustomer.time_part },
        { externalRef: 'c2' },
      ]) {
        expect(await shop.refusalOf({ customer })).toBe('API.Customers.NotFound');
      }
    });
  });

  describe('the warehouse of an evaluation', () => {
    it('is not found in another app or when deleted', async () => {
      await fixture.addWarehouse(await fixture.makeApp(), 'W1');
      const basketFields = { warehouseCode: 'W1' };
      expect(await shop.refusalOf(basketFields)).toBe('API.Warehouses.NotFound');
      await fixture.addWarehouse(shop.id, 'W1');
      expect(await shop.evaluate(basketFields)).toMatchObject({ end_sales: 2_400 });
      await fixture.deleteWarehouse(shop.id, 'W1');
      expect(await shop.refusalOf(basketFields)).toBe('API.Warehouses.NotFound');
    });
  });

  describe('missing records to which an evaluation refers', () => {
    it('are refused in this order: customer, warehouse, shipment, items, coupon, voucher', async () => {
      await fixture.addWarehouse(shop.id, 'W1');
      await fixture.setUp(shop.id, 'shipment_methods', { code: 'post', name: 'Post', price: 1, vat_rate: 20 });
      const invalidBasket: Partial<Basket> = {
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
      const refusals = [await shop.refusalOf(invalidBasket)];
      let basket = invalidBasket;
      for (const part of corrections) refusals.push(await shop.refusalOf((basket = { ...basket, ...part })));
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

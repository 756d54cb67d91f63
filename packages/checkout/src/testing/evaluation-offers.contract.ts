import { addHours } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { EvaluationShop, type EvaluationFixture } from './given-evaluations.js';

export function evaluationOffersContract(
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

  describe('an evaluation with promotions, vouchers and shipment', () => {
    it('charges for shipment below the threshold of free shipment', async () => {
      const post = { code: 'post', name: 'Post', price: 3, vat_rate: 20, free_from: 24 };
      await fixture.setUp(shop.id, 'shipment_methods', post);
      const feesFor = async (qty: number) =>
        (await shop.evaluate({ shipmentMethodCode: 'post', items: [{ code: 'S', qty }] })).fees;
      expect(await feesFor(1)).toMatchObject([
        { kind: 'shipment', name: 'Post', price: 300, sales: 300, vatRate: 2_000 },
      ]);
      expect(await feesFor(2)).toMatchObject([{ price: 0 }]);
    });

    it('includes active promotions without a coupon or with a sent coupon', async () => {
      const moment = (hours: number): string => addHours(fixture.clock.now(), hours).toISOString();
      const tenth = { name: 'Tenth', kind: 'percentage', value: 10 };
      await fixture.setUp(
        shop.id,
        'promotions',
        { ...tenth, code: 'now', valid_from: moment(0), valid_until: moment(0) },
        { ...tenth, code: 'later', valid_from: moment(1) },
        { ...tenth, code: 'over', valid_until: moment(-1) },
        { ...tenth, code: 'off', active: false },
        { ...tenth, code: 'asked', coupon_code: 'PLEASE', priority: 1 },
        { ...tenth, code: 'other', variant_codes: ['T'] },
      );
      const plainBasket = await shop.evaluate();
      expect([plainBasket.promotions.map(({ code }) => code), plainBasket.discount]).toEqual([['now'], 240]);
      const couponBasket = await shop.evaluate({ coupons: ['PLEASE'] });
      expect([couponBasket.promotions.map(({ code }) => code), couponBasket.discount]).toEqual([
        ['now', 'asked'],
        240 + 216,
      ]);
    });

    it('includes vouchers in the sent order, up to the debt', async () => {
      await fixture.setUp(shop.id, 'vouchers', { code: 'large', amount: 20 }, { code: 'small', amount: 5 });
      const { vouchers } = await shop.evaluate({ vouchers: ['small', 'large'] });
      expect(vouchers).toMatchObject([
        { code: 'small', amount: 500 },
        { code: 'large', amount: 1_900 },
      ]);
    });

    it('finds coupons and vouchers without case and outer spaces, and a voucher only once', async () => {
      const tenth = { name: 'Tenth', kind: 'percentage', value: 10, variant_codes: [' S '] };
      await fixture.setUp(shop.id, 'promotions', { ...tenth, code: 'asked', coupon_code: 'VIP ' });
      await fixture.setUp(shop.id, 'vouchers', { code: 'Gift-1', amount: 5 });
      const { promotions, vouchers } = await shop.evaluate({ coupons: ['vip'], vouchers: [' gift-1', 'GIFT-1'] });
      expect(promotions).toMatchObject([{ code: 'asked' }]);
      expect(vouchers).toMatchObject([{ code: 'Gift-1', amount: 500 }]);
      const copied = await shop.evaluate({ coupons: ['\u00a0vip\t'], vouchers: ['\u3000gift-1\r\n'] });
      expect([copied.promotions, copied.vouchers]).toEqual([promotions, vouchers]);
    });

    it('refuses vouchers that are inactive, out of date or owned by another customer', async () => {
      const [ana, mira] = [
        await fixture.addCustomer(shop.id, { external_ref: 'ana' }),
        await fixture.addCustomer(shop.id),
      ];
      const moment = (hours: number): string => addHours(fixture.clock.now(), hours).toISOString();
      await fixture.setUp(
        shop.id,
        'vouchers',
        { code: 'off', amount: 5, active: false },
        { code: 'over', amount: 5, valid_until: moment(-1) },
        { code: 'to come', amount: 5, valid_from: moment(1) },
        { code: 'mira', amount: 5, customer_id: mira.id },
        { code: 'ana', amount: 5, customer_id: ana.id, valid_from: moment(0), valid_until: moment(0) },
      );
      const customer = { externalRef: 'ana' };
      for (const code of ['off', 'over', 'to come', 'mira']) {
        expect(await shop.refusalOf({ customer, vouchers: [code] })).toBe('API.Vouchers.NotAvailable');
      }
      expect(await shop.refusalOf({ vouchers: ['ana'] })).toBe('API.Vouchers.NotAvailable');
      expect((await shop.evaluate({ customer, vouchers: ['ana'] })).vouchers).toMatchObject([{ amount: 500 }]);
    });
  });
}

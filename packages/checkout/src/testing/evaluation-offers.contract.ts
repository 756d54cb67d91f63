import { addHours } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { EvaluationShop, type GivenEvaluations } from './given-evaluations.js';

export function evaluationOffersContract(
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

  describe('offers', () => {
    it('charge the shipment until it is free', async () => {
      const post = { code: 'post', name: 'Post', price: 3, vat_rate: 20, free_from: 24 };
      await given.setUp(app.id, 'shipment_methods', post);
      const shipped = async (qty: number) =>
        (await app.evaluate({ shipmentMethodCode: 'post', items: [{ code: 'S', qty }] })).fees;
      expect(await shipped(1)).toMatchObject([
        { kind: 'shipment', name: 'Post', price: 300, sales: 300, vatRate: 2_000 },
      ]);
      expect(await shipped(2)).toMatchObject([{ price: 0 }]);
    });

    it('include promotions in force and those of sent coupons', async () => {
      const moment = (hours: number): string => addHours(given.clock.now(), hours).toISOString();
      const tenth = { name: 'Tenth', kind: 'percentage', value: 10 };
      await given.setUp(
        app.id,
        'promotions',
        { ...tenth, code: 'now', valid_from: moment(0), valid_until: moment(0) },
        { ...tenth, code: 'later', valid_from: moment(1) },
        { ...tenth, code: 'over', valid_until: moment(-1) },
        { ...tenth, code: 'off', active: false },
        { ...tenth, code: 'asked', coupon_code: 'PLEASE', priority: 1 },
        { ...tenth, code: 'other', variant_codes: ['T'] },
      );
      const plain = await app.evaluate();
      expect([plain.promotions.map(({ code }) => code), plain.discount]).toEqual([['now'], 240]);
      const asked = await app.evaluate({ coupons: ['PLEASE'] });
      expect([asked.promotions.map(({ code }) => code), asked.discount]).toEqual([['now', 'asked'], 240 + 216]);
    });

    it('include vouchers in order, at most the debt', async () => {
      await given.setUp(app.id, 'vouchers', { code: 'large', amount: 20 }, { code: 'small', amount: 5 });
      const { vouchers } = await app.evaluate({ vouchers: ['small', 'large'] });
      expect(vouchers).toMatchObject([
        { code: 'small', amount: 500 },
        { code: 'large', amount: 1_900 },
      ]);
    });

    it('refuse vouchers that are inactive, out of date or another customer’s', async () => {
      const [ana, mira] = [await given.addCustomer(app.id, { external_ref: 'ana' }), await given.addCustomer(app.id)];
      const moment = (hours: number): string => addHours(given.clock.now(), hours).toISOString();
      await given.setUp(
        app.id,
        'vouchers',
        { code: 'off', amount: 5, active: false },
        { code: 'over', amount: 5, valid_until: moment(-1) },
        { code: 'to come', amount: 5, valid_from: moment(1) },
        { code: 'mira', amount: 5, customer_id: mira.id },
        { code: 'ana', amount: 5, customer_id: ana.id, valid_from: moment(0), valid_until: moment(0) },
      );
      const customer = { externalRef: 'ana' };
      for (const code of ['off', 'over', 'to come', 'mira']) {
        expect(await app.refusalOf({ customer, vouchers: [code] })).toBe('API.Vouchers.NotAvailable');
      }
      expect(await app.refusalOf({ vouchers: ['ana'] })).toBe('API.Vouchers.NotAvailable');
      expect((await app.evaluate({ customer, vouchers: ['ana'] })).vouchers).toMatchObject([{ amount: 500 }]);
    });
  });
}

import { addHours } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { canceling, converting, threeProformas, SampleShop, type GivenProformas } from './given-proformas.js';

/** The adapter may hold proformas of other apps. */
export function proformaStatsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenProformas>,
): void {
  let given: GivenProformas;
  let shop: SampleShop;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    shop = await SampleShop.open(given);
  });

  const stats = (from = new Date(0), until = addHours(given.clock.now(), 1)) =>
    given.proformaQueries.stats(shop.appId, { from, before: until }, given.clock.now());

  describe('the statistics', () => {
    const NONE = {
      openCount: 0,
      openSum: 0,
      awaitingPaymentCount: 0,
      expiringCount: 0,
      paidCount: 0,
      madeCount: 0,
      convertedCount: 0,
      recentlyConvertedCount: 0,
    };

    it('are zeros for an app without proformas', async () => {
      await (await SampleShop.open(given)).proforma();
      expect(await stats()).toEqual(NONE);
    });

    it('count open, awaiting, paid, created and converted proformas', async () => {
      const made = await threeProformas(shop);
      await shop.change(made[0]!, shop.startingCard());
      await shop.change(made[1]!, shop.paying());
      await shop.change(await shop.proforma(), canceling);
      await shop.change(await shop.proforma(), converting());
      const counted = { openCount: 3, openSum: 6_000, awaitingPaymentCount: 1, paidCount: 1 };
      const done = { madeCount: 5, convertedCount: 1, recentlyConvertedCount: 1 };
      expect(await stats()).toEqual({ ...NONE, ...counted, ...done });
      const from = made[1]!.insertedAt;
      expect(await stats(from)).toMatchObject({ openCount: 3, madeCount: 4, convertedCount: 1 });
      expect(await stats(new Date(0), from)).toMatchObject({ openCount: 3, madeCount: 1, convertedCount: 0 });
    });

    it('count deadlines within a day and conversions within a week', async () => {
      await shop.proforma();
      await shop.change(await shop.proforma(), converting());
      given.clock.forward({ hours: 48, seconds: -1 });
      expect(await stats()).toMatchObject({ expiringCount: 0, recentlyConvertedCount: 1 });
      given.clock.forward({ seconds: 1 });
      expect(await stats()).toMatchObject({ expiringCount: 1 });
      given.clock.forward({ hours: 24 });
      expect(await stats()).toMatchObject({ openCount: 1, expiringCount: 0 });
      given.clock.forward({ hours: 4 * 24, seconds: -1 });
      expect(await stats()).toMatchObject({ recentlyConvertedCount: 1 });
      given.clock.forward({ seconds: 1 });
      expect(await stats()).toMatchObject({ recentlyConvertedCount: 0, convertedCount: 1 });
    });
  });
}

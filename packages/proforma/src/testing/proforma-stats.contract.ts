import { addHours } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { cancellation, conversion, makeThreeProformas, SampleShop, type ProformaFixture } from './given-proformas.js';

export function proformaStatsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ProformaFixture>,
): void {
  let fixture: ProformaFixture;
  let shop: SampleShop;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    shop = await SampleShop.open(fixture);
  });

  const stats = (from = new Date(0), until = addHours(fixture.clock.now(), 1)) =>
    fixture.proformaQueries.stats(shop.appId, { from, before: until }, fixture.clock.now());

  describe('the statistics of proformas', () => {
    const EMPTY_STATS = {
      openCount: 0,
      openSum: 0,
      awaitingPaymentCount: 0,
      expiringCount: 0,
      paidCount: 0,
      createdCount: 0,
      convertedCount: 0,
      recentlyConvertedCount: 0,
    };

    it('are zeros for an app without proformas', async () => {
      await (await SampleShop.open(fixture)).proforma();
      expect(await stats()).toEqual(EMPTY_STATS);
    });

    it('count open, awaiting, paid, created and converted proformas', async () => {
      const proformas = await makeThreeProformas(shop);
      await shop.change(proformas[0]!, shop.cardPayment());
      await shop.change(proformas[1]!, shop.payment());
      await shop.change(await shop.proforma(), cancellation);
      await shop.change(await shop.proforma(), conversion());
      const openStats = { openCount: 3, openSum: 6_000, awaitingPaymentCount: 1, paidCount: 1 };
      const closedStats = { createdCount: 5, convertedCount: 1, recentlyConvertedCount: 1 };
      expect(await stats()).toEqual({ ...EMPTY_STATS, ...openStats, ...closedStats });
      const from = proformas[1]!.insertedAt;
      expect(await stats(from)).toMatchObject({ openCount: 3, createdCount: 4, convertedCount: 1 });
      expect(await stats(new Date(0), from)).toMatchObject({ openCount: 3, createdCount: 1, convertedCount: 0 });
    });

    it('count deadlines of the next day and conversions of the last week', async () => {
      await shop.proforma();
      await shop.change(await shop.proforma(), conversion());
      fixture.clock.forward({ hours: 48, seconds: -1 });
      expect(await stats()).toMatchObject({ expiringCount: 0, recentlyConvertedCount: 1 });
      fixture.clock.forward({ seconds: 1 });
      expect(await stats()).toMatchObject({ expiringCount: 1 });
      fixture.clock.forward({ hours: 24 });
      expect(await stats()).toMatchObject({ openCount: 1, expiringCount: 0 });
      fixture.clock.forward({ hours: 4 * 24, seconds: -1 });
      expect(await stats()).toMatchObject({ recentlyConvertedCount: 1 });
      fixture.clock.forward({ seconds: 1 });
      expect(await stats()).toMatchObject({ recentlyConvertedCount: 0, convertedCount: 1 });
    });
  });
}

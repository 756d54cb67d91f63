import type { Runner } from '@back-office/kernel/testing';
import { JOBS } from '@back-office/media';
import { cancellation, refundOutcomes, SampleShop } from '@back-office/proforma/testing';
import { expect } from 'expect';
import type { BacklogFigures, Database } from '../index.js';
import { libraryOf } from './library-of.js';
import type { salesFixtureOf } from './sales-fixture.js';

type BacklogFixture = ReturnType<typeof salesFixtureOf<Omit<Database, 'calls' | 'health'>>>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const LIFETIME_HOURS = 72;
/** A refund that a call requests is due after this time. */
const CALLER_SECONDS = 30;

interface Work {
  readonly fixture: BacklogFixture;
  readonly shop: SampleShop;
  readonly figures: () => Promise<BacklogFigures>;
}

/** `open` is called for each test and must open a database without other work, because the figures count all apps. */
export function backlogContract({ describe, it }: Runner, open: () => Promise<BacklogFixture>): void {
  const withShop = (test: (work: Work) => Promise<void>) => async (): Promise<void> => {
    const fixture = await open();
    try {
      const figures = (): Promise<BacklogFigures> => fixture.backlog.figures(fixture.clock.now());
      await test({ fixture, shop: await SampleShop.open(fixture), figures });
    } finally {
      await fixture.close();
    }
  };

  describe('the figures of the backlog', () => {
    it(
      'are 0 without work',
      withShop(async ({ figures }) => {
        const nothing = { count: 0, dueForSeconds: 0 };
        expect(await figures()).toEqual({
          openProformas: {},
          overdueProformas: nothing,
          reservedLines: 0,
          pendingRefunds: nothing,
          dueJobs: nothing,
          failedJobs: 0,
        });
      }),
    );

    it(
      'count the open proformas of all apps by status',
      withShop(async ({ fixture, shop, figures }) => {
        const otherShop = await SampleShop.open(fixture);
        await otherShop.proforma();
        await shop.change(await shop.proforma(), shop.payment());
        await shop.change(await shop.proforma(), cancellation);
        await shop.change(await shop.proforma(), shop.cardPayment());
        expect((await figures()).openProformas).toEqual({ draft: 1, paid: 1, awaiting_payment: 1 });
      }),
    );

    it(
      'count overdue proformas, and state how long the oldest has been overdue',
      withShop(async ({ fixture, shop, figures }) => {
        const otherShop = await SampleShop.open(fixture);
        await shop.proforma();
        await otherShop.proforma();
        fixture.clock.forward({ seconds: 10 });
        await shop.proforma();
        fixture.clock.forward({ hours: LIFETIME_HOURS, seconds: -10 });
        expect((await figures()).overdueProformas).toEqual({ count: 2, dueForSeconds: 0 });
        fixture.clock.forward({ seconds: 10 });
        expect((await figures()).overdueProformas).toEqual({ count: 3, dueForSeconds: 10 });
      }),
    );

    it(
      'count the lines of all apps whose stock is reserved',
      withShop(async ({ fixture, shop, figures }) => {
        const otherShop = await SampleShop.open(fixture);
        const lines = [await shop.proforma(), await otherShop.proforma()].map((proforma) => proforma.lines.length);
        const canceled = await shop.proforma();
        expect((await figures()).reservedLines).toBe(sum(lines) + canceled.lines.length);
        await shop.change(canceled, cancellation);
        expect((await figures()).reservedLines).toBe(sum(lines));
      }),
    );

    it(
      'count pending refunds, and state how long the oldest has been due for an attempt',
      withShop(async ({ fixture, shop, figures }) => {
        const proforma = await shop.change(await shop.proforma(), shop.payment(), cancellation);
        expect((await figures()).pendingRefunds).toEqual({ count: 1, dueForSeconds: 0 });
        fixture.clock.forward({ seconds: CALLER_SECONDS + 5 });
        await shop.change(await shop.proforma(), shop.payment(), cancellation);
        expect((await figures()).pendingRefunds).toEqual({ count: 2, dueForSeconds: 5 });
        await shop.change(proforma, refundOutcomes('refunded'));
        expect((await figures()).pendingRefunds).toEqual({ count: 1, dueForSeconds: 0 });
      }),
    );

    it(
      'count jobs that are due and not running',
      withShop(async ({ fixture, figures }) => {
        const library = await libraryOf(fixture, await fixture.makeApp());
        await library.addImage('a.jpg');
        const { count, dueForSeconds } = (await figures()).dueJobs;
        expect(count).toBe(1);
        expect(dueForSeconds).toBeGreaterThanOrEqual(0);
        let countDuringJob: number | undefined;
        const queue = fixture.jobQueue(2);
        const tasks = { [JOBS.process]: async () => (countDuringJob = (await figures()).dueJobs.count) };
        await queue.worker(tasks, () => {}).drain();
        await queue.close();
        expect([countDuringJob, (await figures()).dueJobs.count]).toEqual([0, 0]);
      }),
    );
  });
}

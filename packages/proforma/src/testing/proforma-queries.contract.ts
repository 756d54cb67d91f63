import { addHours } from '@back-office/kernel';
import { eachCase, followPositions, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { paymentReference, statusId, type Proforma, type ProformaFilter } from '../index.js';
import {
  cancellation,
  conversion,
  deadlineCheck,
  makeThreeProformas,
  SampleShop,
  type ProformaFixture,
} from './given-proformas.js';

const ALL = { offset: 0, limit: 100 };
const HOUR = 3_600;

interface ListedProforma {
  readonly id: number;
}

export function proformaQueriesContract(
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

  const list = async (filter: ProformaFilter = {}, orderBy: unknown = '', page = ALL): Promise<ListedProforma[]> => {
    const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
    const { json } = await fixture.proformaQueries.list(app, filter, orderBy, page, fixture.clock.now());
    return JSON.parse(json) as ListedProforma[];
  };
  const listLetters = async (
    proformas: readonly Proforma[],
    ...listArguments: Parameters<typeof list>
  ): Promise<string> => {
    const ids = proformas.map(({ id }) => id);
    return (await list(...listArguments)).map(({ id }) => String.fromCharCode(65 + ids.indexOf(id))).join('');
  };
  const customer = async (firstName: string, lastName: string) => {
    const row = await fixture.addCustomer(shop.appId, { first_name: firstName, last_name: lastName });
    return { id: row.id, dataPart: row.data_part, timePart: row.time_part };
  };

  describe('a listed proforma', () => {
    it('has the format of the API', async () => {
      const { id, number } = await shop.proforma({ tags: ['vip'] });
      const now = fixture.clock.now();
      const formatSeconds = (time: Date): string => time.toISOString().slice(0, 19);
      fixture.clock.forward({ seconds: HOUR });
      const [proforma] = await list();
      expect(proforma).toEqual({
        id,
        proforma_number: number,
        transaction_reference: paymentReference(number),
        proforma_status_id: 1,
        proforma_status_name: 'draft',
        proforma_status_color: '#9e9e9e',
        proforma_status_final: false,
        processing_date: formatSeconds(now),
        expires_at: formatSeconds(addHours(now, 72)),
        expires_in_seconds: 71 * HOUR,
        warehouse_confirmed_at: null,
        converted_at: null,
        canceled_at: null,
        inserted_at: formatSeconds(now),
        updated_at: formatSeconds(now),
        customer_id: null,
        customer_data_part: null,
        customer_time_part: null,
        customer_email: 'ana@example.com',
        customer_first_name: 'Ana',
        customer_last_name: 'Kovačević',
        anonymous: true,
        sales: 10,
        discount: 0,
        net_sales: 8.33,
        vat: 1.67,
        end_sales: 10,
        paid: 0,
        debt: 10,
        market_id: 1,
        currency_id: 941,
        sales_channel_id: 1,
        sales_channel: 'web',
        order_id: null,
        order_data_part: null,
        order_time_part: null,
        canceled: false,
        cancel_reason: null,
        tags: ['vip'],
        alerts_count: 0,
        open_alerts_count: 0,
      });
      const firstKeys = ['id', 'proforma_number', 'transaction_reference', 'proforma_status_id'];
      expect(Object.keys(proforma as object).slice(0, 4)).toEqual(firstKeys);
    });

    it('has texts with quotes, line breaks and other unusual characters', async () => {
      const unusualText = `"O'Neil" \\ {}[],: \n\t\u0001 \u2028 🧥`;
      const buyer = await customer(unusualText, unusualText);
      await shop.proforma({ customer: buyer, tags: [unusualText, ''] });
      const [proforma] = await list();
      expect(proforma).toMatchObject({
        customer_first_name: unusualText,
        customer_last_name: unusualText,
        tags: [unusualText, ''],
      });
    });

    it('has no time left when final or past its deadline', async () => {
      await shop.change(await shop.proforma(), cancellation);
      await shop.proforma();
      fixture.clock.forward({ hours: 100 });
      expect(await list()).toMatchObject([{ expires_in_seconds: 0 }, { expires_in_seconds: 0 }]);
    });

    it('shows the payments that it had at its conversion', async () => {
      const { id, orderId } = await shop.change(
        await shop.proforma(),
        shop.cardPayment(),
        shop.payment(400),
        conversion(),
      );
      const method = await fixture.methodOf(shop.appId, 'card');
      expect(method.kind).toBe('card');
      expect(await list()).toMatchObject([
        { id, order_id: orderId, paid: 4, debt: 6, proforma_status_name: 'converted' },
      ]);
    });

    it('counts the seconds down', async () => {
      await shop.proforma();
      expect(await list()).toMatchObject([{ expires_in_seconds: 72 * HOUR }]);
      fixture.clock.forward({ seconds: 20 });
      expect(await list()).toMatchObject([{ expires_in_seconds: 72 * HOUR - 20 }]);
      fixture.clock.forward({ hours: 73 });
      expect(await list()).toMatchObject([{ expires_in_seconds: 0 }]);
    });

    it('has the currency that the app has now, and shows no other app', async () => {
      await shop.proforma();
      const listAs = async (app: { id: number; decimals: number; currency: string }): Promise<unknown> =>
        JSON.parse((await fixture.proformaQueries.list(app, {}, '', ALL, fixture.clock.now())).json);
      const { appId: id } = shop;
      expect(await listAs({ id, decimals: 2, currency: 'RSD' })).toMatchObject([{ end_sales: 10, currency_id: 941 }]);
      expect(await listAs({ id, decimals: 0, currency: 'JPY' })).toMatchObject([
        { end_sales: 1_000, currency_id: 392 },
      ]);
      expect(await listAs({ id: await fixture.makeApp(), decimals: 2, currency: 'RSD' })).toEqual([]);
    });
  });

  describe('a list of proformas', () => {
    it('contains the proformas of one app, newest first, in pages', async () => {
      const proformas = await makeThreeProformas(shop);
      await (await SampleShop.open(fixture)).proforma();
      expect(await listLetters(proformas)).toBe('CBA');
      expect(await listLetters(proformas, {}, '', { offset: 1, limit: 1 })).toBe('B');
      expect(await listLetters(proformas, {}, '', { offset: 3, limit: 1 })).toBe('');
    });

    eachCase(it, [
      ['end_sales', 'ACB'],
      ['end_sales desc', 'BCA'],
      ['debt', 'ACB'],
      ['paid', 'CBA'],
      ['expires_at', 'ABC'],
      ['processing_date', 'ABC'],
      ['inserted_at', 'ABC'],
      ['inserted_at desc', 'CBA'],
      ['proforma_number', 'ABC'],
      ['status', 'CBA'],
      ['status desc', 'CBA'],
      ['number', 'CBA'],
      ['end_sales  desc', 'CBA'],
    ])('sorted by %s returns %s', async (orderBy, expected) => {
      expect(await listLetters(await makeThreeProformas(shop), {}, orderBy)).toBe(expected);
    });

    eachCase(it, [
      [{}, ''],
      [{}, 'status'],
      [{}, 'updated_at'],
      [{}, 'customer_name'],
      [{}, 'customer_name desc'],
      [{ statusIds: [statusId('draft'), statusId('canceled')] }, ''],
      [{ statusIds: [statusId('draft')] }, 'end_sales desc'],
    ] as [ProformaFilter, string][])(
      'filtered by %j has the same rows when paged by position as when paged by offset, in the order "%s"',
      async (filter, orderBy) => {
        await makeThreeProformas(shop);
        const [proforma] = await makeThreeProformas(shop);
        await shop.proforma({ customer: await customer('Ana', 'Kos') });
        await shop.change(proforma!, cancellation);
        const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
        const rows = await followPositions(2, (page) =>
          fixture.proformaQueries.list(app, filter, orderBy, page, fixture.clock.now()),
        );
        expect(rows).toEqual(await list(filter, orderBy));
      },
    );

    it('sorted by `updated_at` puts the latest change last', async () => {
      const proformas = await makeThreeProformas(shop);
      await shop.change(proformas[0]!, shop.payment());
      expect(await listLetters(proformas, {}, 'updated_at')).toBe('BCA');
      expect(await listLetters(proformas, {}, 'paid desc')).toBe('ACB');
      expect([await listLetters(proformas, {}, 'status'), await listLetters(proformas, {}, 'status desc')]).toEqual([
        'CBA',
        'ACB',
      ]);
    });

    it('sorted by customer uses the folded last name, then the folded first name', async () => {
      const proformas: Proforma[] = [];
      for (const [firstName, lastName] of [
        ['Ana', 'Žun'],
        ['Mira', 'Čolić'],
        ['ana', '  čolić'],
      ] as const) {
        proformas.push(await shop.proforma({ customer: await customer(firstName, lastName) }));
      }
      expect(await listLetters(proformas, {}, 'customer_name')).toBe('CBA');
      expect(await listLetters(proformas, {}, 'customer_name desc')).toBe('ABC');
    });
  });

  describe('a filter of proformas', () => {
    it('by several statuses sorts all found proformas together', async () => {
      const proformas = await makeThreeProformas(shop);
      await shop.change(proformas[1]!, cancellation);
      const [draftId, canceledId, paidId] = [statusId('draft'), statusId('canceled'), statusId('paid')];
      expect(await listLetters(proformas, { statusIds: [draftId] })).toBe('CA');
      expect(await listLetters(proformas, { statusIds: [canceledId, draftId] })).toBe('CBA');
      expect(await listLetters(proformas, { statusIds: [canceledId, draftId] }, '', { offset: 1, limit: 1 })).toBe('B');
      expect(await listLetters(proformas, { statusIds: [canceledId, draftId] }, 'end_sales')).toBe('ACB');
      expect(await listLetters(proformas, { statusIds: [paidId] })).toBe('');
    });

    it('by number finds exactly these proformas', async () => {
      const proformas = await makeThreeProformas(shop);
      const [a, b] = proformas.map(({ number }) => number) as [string, string];
      expect(await listLetters(proformas, { numbers: [b, 'P-2026-UNKNOWN', a] })).toBe('BA');
      expect(await listLetters(proformas, { numbers: [b], statusIds: [statusId('draft'), statusId('paid')] })).toBe(
        'B',
      );
      expect(await listLetters(proformas, { numbers: [] })).toBe('');
    });

    it('by deadline finds open proformas in the period', async () => {
      const proformas = await makeThreeProformas(shop);
      await shop.change(proformas[2]!, cancellation);
      const [a, b] = [proformas[0]!.expiresAt, proformas[1]!.expiresAt];
      expect(await listLetters(proformas, { expiring: { after: a, until: addHours(b, 9) } })).toBe('B');
      expect(await listLetters(proformas, { expiring: { after: new Date(0), until: a } })).toBe('A');
    });

    it('by creation time includes its start and excludes its end', async () => {
      const proformas = await makeThreeProformas(shop);
      expect(await listLetters(proformas, { from: proformas[1]!.insertedAt })).toBe('CB');
      expect(await listLetters(proformas, { before: proformas[1]!.insertedAt })).toBe('A');
    });

    it('by `updatedAfter` finds changes of that time or later', async () => {
      const proformas = await makeThreeProformas(shop);
      fixture.clock.forward({ seconds: 1 });
      const updatedAfter = fixture.clock.now();
      expect(await listLetters(proformas, { updatedAfter })).toBe('');
      await shop.change(proformas[1]!, shop.payment());
      expect(await listLetters(proformas, { updatedAfter })).toBe('B');
    });

    it('by customer finds the proformas of the customer, and by `anonymous` those of guests', async () => {
      const buyer = await customer('Ana', 'Kos');
      const proformas = [await shop.proforma(), await shop.proforma({ customer: buyer })];
      expect(await listLetters(proformas, { anonymous: true })).toBe('A');
      expect(await listLetters(proformas, { anonymous: false })).toBe('B');
      expect(await listLetters(proformas, { customerId: buyer.id })).toBe('B');
      expect(await listLetters(proformas, { customerId: 987_654_321_987 })).toBe('');
    });

    it('by alerts considers open alerts only', async () => {
      const proformas = [await shop.proforma(), await shop.proforma(), await shop.proforma()];
      for (const paidProforma of proformas.slice(1)) await shop.change(paidProforma, shop.payment());
      fixture.clock.forward({ hours: 72 });
      for (const paidProforma of proformas.slice(1)) await shop.change(paidProforma, deadlineCheck);
      await shop.change(proformas[2]!, (proforma, now) => ({
        ...proforma,
        alerts: proforma.alerts.map((alert) => ({ ...alert, resolvedAt: now })),
      }));
      expect(await listLetters(proformas, { hasAlerts: true })).toBe('B');
      expect(await listLetters(proformas, { hasAlerts: false })).toBe('CA');
      expect((await list({ hasAlerts: false }))[0]).toMatchObject({ alerts_count: 1, open_alerts_count: 0 });
    });
  });
}

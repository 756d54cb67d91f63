import { addHours } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { statusId, type Proforma, type ProformaFilter } from '../index.js';
import {
  canceling,
  converting,
  meetingDeadline,
  threeProformas,
  SampleShop,
  type GivenProformas,
} from './given-proformas.js';

const ALL = { offset: 0, limit: 100 };
const HOUR = 3_600;

interface ListedProforma {
  readonly id: number;
}

/** The adapter may hold proformas of other apps. */
export function proformaQueriesContract(
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

  const list = async (filter: ProformaFilter = {}, orderBy: unknown = '', page = ALL): Promise<ListedProforma[]> => {
    const app = { id: shop.appId, decimals: 2, currency: 'RSD' };
    const text = await given.proformaQueries.list(app, filter, orderBy, page, given.clock.now());
    return JSON.parse(text) as ListedProforma[];
  };
  /** Lists proformas as letters: `A` is the first of `proformas`. */
  const letters = async (proformas: readonly Proforma[], ...asked: Parameters<typeof list>): Promise<string> => {
    const ids = proformas.map(({ id }) => id);
    return (await list(...asked)).map(({ id }) => String.fromCharCode(65 + ids.indexOf(id))).join('');
  };
  const customer = async (first: string, last: string) => {
    const added = await given.addCustomer(shop.appId, { first_name: first, last_name: last });
    return { id: added.id, dataPart: added.data_part, timePart: added.time_part };
  };

  describe('a listed proforma', () => {
    it('has the shape of the API', async () => {
      const { id, number } = await shop.proforma({ tags: ['vip'] });
      const now = given.clock.now();
      const text = (at: Date): string => at.toISOString().slice(0, 19);
      given.clock.forward({ seconds: HOUR });
      const [listed] = await list();
      expect(listed).toEqual({
        id,
        proforma_number: number,
        proforma_status_id: 1,
        proforma_status_name: 'draft',
        proforma_status_color: '#9e9e9e',
        proforma_status_final: false,
        processing_date: text(now),
        expires_at: text(addHours(now, 72)),
        expires_in_seconds: 71 * HOUR,
        warehouse_confirmed_at: null,
        converted_at: null,
        canceled_at: null,
        inserted_at: text(now),
        updated_at: text(now),
        customer_id: null,
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
        canceled: false,
        cancel_reason: null,
        tags: ['vip'],
        alerts_count: 0,
        open_alerts_count: 0,
      });
      const first = ['id', 'proforma_number', 'proforma_status_id', 'proforma_status_name'];
      expect(Object.keys(listed as object).slice(0, 4)).toEqual(first);
    });

    it('has no time left when final or past its deadline', async () => {
      await shop.change(await shop.proforma(), canceling);
      await shop.proforma();
      given.clock.forward({ hours: 100 });
      expect(await list()).toMatchObject([{ expires_in_seconds: 0 }, { expires_in_seconds: 0 }]);
    });

    it('shows the payments of its conversion', async () => {
      const { id, orderId } = await shop.change(
        await shop.proforma(),
        shop.startingCard(),
        shop.paying(400),
        converting(),
      );
      const method = await given.methodOf(shop.appId, 'card');
      expect(method.kind).toBe('card');
      expect(await list()).toMatchObject([
        { id, order_id: orderId, paid: 4, debt: 6, proforma_status_name: 'converted' },
      ]);
    });
  });

  describe('a list', () => {
    it('holds one app, newest first, in pages', async () => {
      const made = await threeProformas(shop);
      await (await SampleShop.open(given)).proforma();
      expect(await letters(made)).toBe('CBA');
      expect(await letters(made, {}, '', { offset: 1, limit: 1 })).toBe('B');
      expect(await letters(made, {}, '', { offset: 3, limit: 1 })).toBe('');
    });

    eachCase(it, [
      ['end_sales', 'ACB'],
      ['end_sales desc', 'BCA'],
      ['debt', 'ACB'],
      ['paid', 'CBA'],
      ['expires_at', 'ABC'],
      ['processing_date', 'ABC'],
      ['inserted_at desc', 'CBA'],
      ['proforma_number', 'ABC'],
      ['status', 'CBA'],
      ['status desc', 'CBA'],
      ['number', 'CBA'],
      ['end_sales  desc', 'CBA'],
    ])('sorted by %s is %s', async (orderBy, expected) => {
      expect(await letters(await threeProformas(shop), {}, orderBy)).toBe(expected);
    });

    it('sorted by updated_at has the latest change last', async () => {
      const made = await threeProformas(shop);
      await shop.change(made[0]!, shop.paying());
      expect(await letters(made, {}, 'updated_at')).toBe('BCA');
      expect(await letters(made, {}, 'paid desc')).toBe('ACB');
      expect([await letters(made, {}, 'status'), await letters(made, {}, 'status desc')]).toEqual(['CBA', 'ACB']);
    });

    it('sorted by customer uses last, then first name', async () => {
      const made: Proforma[] = [];
      for (const [first, last] of [
        ['Ana', 'Žun'],
        ['Mira', 'Kos'],
        ['Ana', 'Kos'],
      ] as const) {
        made.push(await shop.proforma({ customer: await customer(first, last) }));
      }
      expect(await letters(made, {}, 'customer_name')).toBe('CBA');
      expect(await letters(made, {}, 'customer_name desc')).toBe('ABC');
    });
  });

  describe('a filter', () => {
    it('by several statuses keeps one order', async () => {
      const made = await threeProformas(shop);
      await shop.change(made[1]!, canceling);
      const [draft, canceled, paid] = [statusId('draft'), statusId('canceled'), statusId('paid')];
      expect(await letters(made, { statusIds: [draft] })).toBe('CA');
      expect(await letters(made, { statusIds: [canceled, draft] })).toBe('CBA');
      expect(await letters(made, { statusIds: [canceled, draft] }, '', { offset: 1, limit: 1 })).toBe('B');
      expect(await letters(made, { statusIds: [canceled, draft] }, 'end_sales')).toBe('ACB');
      expect(await letters(made, { statusIds: [paid] })).toBe('');
    });

    it('by deadline finds open ones in the period', async () => {
      const made = await threeProformas(shop);
      await shop.change(made[2]!, canceling);
      const [a, b] = [made[0]!.expiresAt, made[1]!.expiresAt];
      expect(await letters(made, { expiring: { after: a, until: addHours(b, 9) } })).toBe('B');
      expect(await letters(made, { expiring: { after: new Date(0), until: a } })).toBe('A');
    });

    it('by creation time includes its start and excludes its end', async () => {
      const made = await threeProformas(shop);
      expect(await letters(made, { from: made[1]!.insertedAt })).toBe('CB');
      expect(await letters(made, { before: made[1]!.insertedAt })).toBe('A');
    });

    it('by customer or guests', async () => {
      const named = await customer('Ana', 'Kos');
      const made = [await shop.proforma(), await shop.proforma({ customer: named })];
      expect(await letters(made, { anonymous: true })).toBe('A');
      expect(await letters(made, { anonymous: false })).toBe('B');
      expect(await letters(made, { customerId: named.id })).toBe('B');
      expect(await letters(made, { customerId: 987_654_321_987 })).toBe('');
    });

    it('by alerts counts open ones only', async () => {
      const made = [await shop.proforma(), await shop.proforma(), await shop.proforma()];
      for (const each of made.slice(1)) await shop.change(each, shop.paying());
      given.clock.forward({ hours: 72 });
      for (const each of made.slice(1)) await shop.change(each, meetingDeadline);
      await shop.change(made[2]!, (found, now) => ({
        ...found,
        alerts: found.alerts.map((alert) => ({ ...alert, resolvedAt: now })),
      }));
      expect(await letters(made, { hasAlerts: true })).toBe('B');
      expect(await letters(made, { hasAlerts: false })).toBe('CA');
      expect((await list({ hasAlerts: false }))[0]).toMatchObject({ alerts_count: 1, open_alerts_count: 0 });
    });
  });
}

import type { Page, Sorting } from '@back-office/kernel';
import { eachCase, followPositions, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { Customer, CustomerFilter, CustomerQueries, Customers, NewCustomer } from '../index.js';

export interface CustomerFixture {
  readonly customers: Customers;
  readonly customerQueries: CustomerQueries;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  /** Runs `work` twice under one idempotency key; the first run dies after its write. Returns both results. */
  repeatKeyed<Result>(appId: number, work: () => Promise<Result>): Promise<readonly [Result, Result]>;
  close(): Promise<void>;
}

const ANA = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kos' };
const ALL = { offset: 0, limit: 100 };

export function customersContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<CustomerFixture>,
): void {
  let fixture: CustomerFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const tryToAdd = (fields: Partial<NewCustomer> = {}, targetAppId = appId) =>
    fixture.customers.add(targetAppId, { ...ANA, ...fields });
  const add = async (fields: Partial<NewCustomer> = {}, targetAppId = appId): Promise<Customer> => {
    const result = await tryToAdd(fields, targetAppId);
    expect(result).not.toHaveProperty('taken');
    return result as Customer;
  };
  const list = async (
    filter: Partial<CustomerFilter> = {},
    page: Page = ALL,
    targetAppId = appId,
    sorting?: Sorting,
  ): Promise<Customer[]> => {
    const { json } = await fixture.customerQueries.list(
      targetAppId,
      { search: undefined, externalRef: undefined, updatedAfter: undefined, ...filter },
      page,
      sorting,
    );
    return JSON.parse(json) as Customer[];
  };
  const listEmails = async (filter: Partial<CustomerFilter> = {}): Promise<string[]> =>
    (await list(filter)).map(({ email }) => email.replace('@example.com', ''));

  describe('a new customer', () => {
    it('stores its reference trimmed', async () => {
      expect(await add({ external_ref: ' crm 1\t' })).toMatchObject({ external_ref: 'crm 1' });
      for (const reference of [' crm 1\t', 'crm 1', ' crm 1'])
        expect(await tryToAdd({ email: 'eva@example.com', external_ref: reference })).toEqual({
          taken: ['external_ref'],
        });
      expect(await tryToAdd({ external_ref: 'crm 1 ' })).toEqual({ taken: ['email', 'external_ref'] });
    });

    it('is found only by its id together with its data_part and time_part', async () => {
      const customer = await add();
      const now = fixture.clock.now();
      expect(customer).toMatchObject({
        ...ANA,
        id: expect.any(Number),
        time_part: (now.getUTCFullYear() - 2020) * 12 + now.getUTCMonth(),
        external_ref: null,
        phone: null,
        viber_subscribed: false,
        preferred_notification_channel_id: null,
        loyalty_points: 0,
        inserted_at: now,
        updated_at: now,
      });
      const { id, data_part: dataPart, time_part: timePart } = customer;
      expect(dataPart).toBeGreaterThanOrEqual(1);
      expect(dataPart).toBeLessThanOrEqual(64);
      expect(await fixture.customers.find(appId, id, dataPart, timePart)).toMatchObject({ ...customer });
      expect(await fixture.customers.find(appId, id, (dataPart % 64) + 1, timePart)).toBeUndefined();
      expect(await fixture.customers.find(appId, id, dataPart, timePart + 1)).toBeUndefined();
      expect(await fixture.customers.find(appId, id, 2 ** 15, timePart)).toBeUndefined();
      expect(await fixture.customers.find(appId, id, dataPart, -(2 ** 31) - 1)).toBeUndefined();
      expect(await fixture.customers.find(appId, id + 1_000_000, dataPart, timePart)).toBeUndefined();
      expect(await fixture.customers.find(await fixture.makeApp(), id, dataPart, timePart)).toBeUndefined();
    });

    it('has all sent fields', async () => {
      const sentFields = {
        external_ref: 'r',
        phone: '+381',
        viber_subscribed: true,
        preferred_notification_channel_id: 4,
      };
      const { id, data_part: dataPart, time_part: timePart } = await add(sentFields);
      expect(await fixture.customers.find(appId, id, dataPart, timePart)).toMatchObject(sentFields);
    });

    eachCase(it, [
      ['the e-mail in another case', { email: 'ANA@example.COM', external_ref: 'r2' }, ['email']],
      ['the reference', { email: 'new@example.com', external_ref: 'r' }, ['external_ref']],
      ['both fields', { email: 'Ana@example.com', external_ref: 'r' }, ['email', 'external_ref']],
    ] as [string, Partial<NewCustomer>, string[]][])(
      'is not added when another customer has %s',
      async (_, fields, takenFields) => {
        await add({ external_ref: 'r' });
        expect(await tryToAdd(fields)).toEqual({ taken: takenFields });
        expect(await list()).toHaveLength(1);
      },
    );

    eachCase(it, [
      ['žana@example.com', 'ŽANA@example.com'],
      ['οδοσ@example.com', 'ΟΔΟΣ@example.com'],
    ])('is not added when another customer has the e-mail %s in another case', async (email, otherCase) => {
      await add({ email });
      expect(await tryToAdd({ email: otherCase })).toEqual({ taken: ['email'] });
    });

    it('may have a reference that differs from another one only in case, or that another app uses', async () => {
      await add({ external_ref: 'r' });
      await add({ email: 'b@example.com', external_ref: 'R' });
      await add({ email: 'c@example.com' });
      await add({ email: 'd@example.com', external_ref: null });
      await add({ external_ref: 'r' }, await fixture.makeApp());
    });

    it('is added once by a repeated keyed call', async () => {
      const [firstResult, secondResult] = await fixture.repeatKeyed(appId, () => tryToAdd());
      expect(firstResult).toMatchObject(ANA);
      expect(secondResult).toEqual(firstResult);
      expect(await list()).toHaveLength(1);
    });

    it('is added once by concurrent calls', async () => {
      const results = await Promise.all(Array.from({ length: 10 }, () => tryToAdd()));
      expect(results.filter((result) => !('taken' in result))).toHaveLength(1);
    });
  });

  describe('the list of customers', () => {
    it('has the format of the API', async () => {
      const customer = await add({ phone: '1' });
      const now = fixture.clock.now().toISOString().slice(0, 19);
      const [shownCustomer = {}] = await list();
      expect({ ...customer, inserted_at: now, updated_at: now }).toMatchObject(shownCustomer);
      expect(Object.keys(shownCustomer)).toEqual([
        'id',
        'data_part',
        'time_part',
        'external_ref',
        'email',
        'first_name',
        'last_name',
        'phone',
        'viber_subscribed',
        'preferred_notification_channel_id',
        'loyalty_points',
        'inserted_at',
        'updated_at',
      ]);
    });

    it('is empty without customers and for another app', async () => {
      await add();
      expect(await list({}, ALL, await fixture.makeApp())).toEqual([]);
    });

    it('is sorted by folded names, then by names and id, and is paged', async () => {
      const names = ['b b', 'a z', 'é a', 'a b', 'Z a', 'a b', '\u{1f600} a', '\uffee a', ' Đ b'];
      for (const [index, name] of names.entries()) {
        const [first_name = '', last_name = ''] = name.split(/(?<=\S) /);
        await add({ email: `${index}@example.com`, first_name, last_name });
      }
      const sortedEmails = ['3', '5', '1', '0', '8', '2', '4', '7', '6'];
      expect(await listEmails()).toEqual(sortedEmails);
      const pages = await Promise.all([0, 3, 6, 9].map((offset) => list({}, { offset, limit: 3 })));
      expect(pages.map((page) => page.length)).toEqual([3, 3, 3, 0]);
      expect(pages.flat().map(({ email }) => email.replace('@example.com', ''))).toEqual(sortedEmails);
    });

    it('has the same rows when paged by position as when paged by offset', async () => {
      for (const [index, name] of ['b', 'a', 'c', 'a', 'b'].entries())
        await add({ email: `${index}@example.com`, first_name: name, last_name: 'same' });
      const filter = { search: undefined, externalRef: undefined, updatedAfter: undefined };
      const listByPosition = (sorting?: Sorting) =>
        followPositions(2, (page) => fixture.customerQueries.list(appId, filter, page, sorting));
      const byChange = { field: 'updated_at', direction: 'desc' as const };
      expect(await listByPosition()).toEqual(await list());
      expect(await listByPosition(byChange)).toEqual(await list({}, ALL, appId, byChange));
    });

    it('throws for a position of another list', async () => {
      await expect(list({}, { ...ALL, after: ['a'] })).rejects.toMatchObject({ name: 'InvalidPosition' });
      await expect(list({}, { ...ALL, after: ['2026-01-01T00:00:00.000000Z', '1'] })).rejects.toMatchObject({
        name: 'InvalidPosition',
      });
    });

    it('is filtered by `updatedAfter` and sorted by `updated_at`', async () => {
      const emailsOf = (customers: readonly Customer[]) => customers.map(({ email }) => email);
      const listByChange = async (direction: Sorting['direction'], page = ALL) =>
        emailsOf(await list({}, page, appId, { field: 'updated_at', direction }));
      await add({ email: 'c@example.com' });
      await add({ email: 'b@example.com' });
      fixture.clock.forward({ seconds: 1 });
      const { updated_at: updatedAfter } = await add({ email: 'a@example.com' });
      expect(emailsOf(await list({ updatedAfter }))).toEqual(['a@example.com']);
      const sortedEmails = ['c@example.com', 'b@example.com', 'a@example.com'];
      expect(await listByChange('asc')).toEqual(sortedEmails);
      expect(await listByChange('desc', { offset: 1, limit: 2 })).toEqual(sortedEmails.toReversed().slice(1));
    });

    it('finds customers by exact reference', async () => {
      await add({ email: 'a@example.com', external_ref: 'ref' });
      await add({ email: 'b@example.com', external_ref: 'REF' });
      await add({ email: 'c@example.com' });
      expect(await listEmails({ externalRef: 'ref' })).toEqual(['a']);
      expect(await listEmails({ externalRef: 're' })).toEqual([]);
      expect(await listEmails({ externalRef: 'ref', search: 'b@' })).toEqual([]);
    });

    eachCase(it, [
      ['the e-mail', 'MILA@EX'],
      ['the phone', '381-6'],
      ['the first name', 'ilic'],
      ['both names', 'milica dord'],
      ['both names, last name first', 'Đorđević O’Hara Milic'],
      ['Cyrillic letters', 'Милица Ђ'],
      ['the name and the e-mail', 'ara mila@'],
      ['Latin letters without accents', 'DORDEVIC'],
      ['dj for đ', 'DJORDJEVIC'],
      ['repeated blanks', 'milica \u00a0 đor'],
      ['another apostrophe', "o'hara"],
      ['digits of the phone', '+38160111'],
      ['a part of the phone without the trunk prefix', '060 111-22-23'],
    ])('finds customers by %s', async (_, search) => {
      await add({
        email: 'mila@example.com',
        first_name: 'Milica',
        last_name: 'Đorđević  O’Hara',
        phone: '+381-60/111 22-23',
      });
      await add({ email: 'x@example.com', first_name: 'Xenia', last_name: 'X', phone: '38160112223' });
      expect(await listEmails({ search })).toEqual(['mila']);
    });

    eachCase(it, [['%'], ['_'], ['\\'], ['\u0301'], ['kosana'], ['null'], ['undefined']])(
      'searched for %j finds no customer',
      async (search) => {
        await add();
        expect(await listEmails({ search })).toEqual([]);
      },
    );

    it('searches for % and _ literally', async () => {
      await add({ email: '100%_x\\y@example.com' });
      await add({ email: '100x@example.com' });
      expect(await list({ search: '100%_x\\y' })).toHaveLength(1);
    });
  });
}

import { eachCase, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ResourceName, SetUpQueries, SetUpRecords, StoredRow } from '../index.js';

export interface GivenSetUp {
  readonly setUpRecords: SetUpRecords;
  readonly setUpQueries: SetUpQueries;
  readonly clock: ManualClock;
  /** An app whose currency is RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

const CASH = { code: 'till', name: 'Till', kind: 'cash' };
const COURIER = { code: 'courier', name: 'Courier', price: 3.5, vat_rate: 20 };
const TENTH = { code: 'tenth', name: 'A tenth off', kind: 'percentage', value: 10 };
const GIFT = { code: 'gift', amount: 50 };
const ALL = { offset: 0, limit: 1_000 };
const MAX_ACTIVE = 100;

/** The adapter may hold records of other apps. */
export function setUpRecordsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenSetUp>,
): void {
  let given: GivenSetUp;
  let appId: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
  });

  const tryToPut = (name: ResourceName, rows: readonly unknown[], app = appId, currency = 'RSD') =>
    given.setUpRecords.put(name, { id: app, currency, decimals: 2 }, rows);
  const put = async (name: ResourceName, ...rows: readonly unknown[]): Promise<readonly StoredRow[]> => {
    const outcome = await tryToPut(name, rows);
    expect(outcome).toHaveProperty('rows');
    return 'rows' in outcome ? outcome.rows : [];
  };
  const list = (name: ResourceName, page = ALL, app = appId) => given.setUpQueries.list(name, app, page);
  const codes = async (name: ResourceName, page = ALL, app = appId): Promise<string[]> =>
    (await list(name, page, app)).map(({ code }) => code);

  describe('a new record', () => {
    eachCase<[ResourceName, object, object]>(it, [
      ['payment_methods', CASH, CASH],
      [
        'shipment_methods',
        { ...COURIER, pickup_points: [{ code: 'a', name: 'A' }] },
        {
          code: 'courier',
          name: 'Courier',
          price: 350,
          vat_rate: 2000,
          free_from: null,
          requires_pickup_point: false,
          pickup_points: [{ code: 'a', name: 'A', available: true }],
        },
      ],
      [
        'promotions',
        { ...TENTH, variant_codes: ['A', 'B', 'A'], valid_until: '2030-01-01' },
        {
          code: 'tenth',
          kind: 'percentage',
          value: 1000,
          buy_qty: null,
          get_qty: null,
          min_qty: 0,
          min_amount: 0,
          variant_codes: ['A', 'B'],
          coupon_code: null,
          valid_from: null,
          valid_until: new Date('2030-01-01T00:00:00Z'),
          priority: 0,
          active: true,
        },
      ],
      [
        'vouchers',
        GIFT,
        {
          code: 'gift',
          amount: 5000,
          spent: 0,
          held_by: null,
          customer_id: null,
          valid_from: null,
          valid_until: null,
          active: true,
        },
      ],
    ])('of %s has its defaults', async (name, sent, stored) => {
      const now = given.clock.now();
      const [record] = await put(name, sent);
      expect(record).toMatchObject({ ...stored, inserted_at: now, updated_at: now });
      expect(record?.['id']).toBeGreaterThan(0);
      expect((await list(name)).at(-1)).toEqual(record);
    });

    it('belongs to its app', async () => {
      const other = await given.makeApp();
      await put('vouchers', GIFT);
      expect(await list('vouchers', ALL, other)).toEqual([]);
      await tryToPut('vouchers', [{ ...GIFT, amount: 70 }], other);
      expect(await list('vouchers')).toMatchObject([{ amount: 5000 }]);
    });

    it('is created once by concurrent calls', async () => {
      await Promise.all(Array.from({ length: 6 }, () => put('promotions', TENTH)));
      expect(await codes('promotions')).toEqual(['tenth']);
    });
  });

  describe('a record that is put again', () => {
    it('keeps missing fields and resets null ones', async () => {
      const [first] = await put('shipment_methods', { ...COURIER, free_from: 50, requires_pickup_point: true });
      given.clock.forward({ seconds: 5 });
      const [second] = await put('shipment_methods', { code: 'courier', price: 4, free_from: null });
      expect(second).toEqual({ ...first, price: 400, free_from: null, updated_at: given.clock.now() });
      expect(await list('shipment_methods')).toEqual([second]);
    });

    it('is found by its exact code', async () => {
      await put('vouchers', GIFT);
      await put('vouchers', { ...GIFT, code: 'GIFT' });
      expect(await codes('vouchers')).toEqual(['gift', 'GIFT']);
    });

    it('in the same call applies on top of the earlier row', async () => {
      const rows = await put('shipment_methods', COURIER, { ...COURIER, code: 'other' }, { code: 'courier', price: 9 });
      expect(rows.map(({ code }) => code)).toEqual(['courier', 'other', 'courier']);
      expect(rows[0]).toEqual(rows[2]);
      expect(rows[2]).toMatchObject({ name: 'Courier', price: 900 });
      expect(await codes('shipment_methods')).toEqual(['courier', 'other']);
    });

    it('loses no field in concurrent calls', async () => {
      await put('shipment_methods', COURIER);
      const changes = [{ name: 'Bicycle' }, { price: 1 }, { vat_rate: 10 }, { free_from: 20 }];
      await Promise.all(changes.map((change) => put('shipment_methods', { code: 'courier', ...change })));
      const expected = { name: 'Bicycle', price: 100, vat_rate: 1000, free_from: 2000 };
      expect(await list('shipment_methods')).toMatchObject([expected]);
    });
  });

  describe('an invalid row', () => {
    it('prevents all writes and gets one key', async () => {
      const rows = [CASH, { ...CASH, kind: 'shells' }, 7, { code: 'new', name: null, kind: null }];
      const stored = await list('payment_methods');
      expect(await tryToPut('payment_methods', rows)).toEqual({
        failures: [
          'API.PaymentMethods.KindIsInvalid',
          'API.PaymentMethods.WrongDataType',
          'API.PaymentMethods.NameCantBeBlank',
        ],
      });
      expect(await list('payment_methods')).toEqual(stored);
    });

    it('may name an unknown customer', async () => {
      const [mine, theirs] = [await given.addCustomer(appId), await given.addCustomer(await given.makeApp())];
      const owned = (customer: unknown) => ({ ...GIFT, customer_id: customer });
      expect(await put('vouchers', owned(mine.id))).toMatchObject([{ customer_id: mine.id }]);
      const missing = { failures: ['API.Customers.NotFound'] };
      expect(await tryToPut('vouchers', [owned(theirs.id)])).toEqual(missing);
      expect(await tryToPut('vouchers', [owned(2 ** 60)])).toEqual(missing);
    });

    it('may have a code that cannot be stored', async () => {
      const failures = ['API.Vouchers.CodeIsInvalid'];
      expect(await tryToPut('vouchers', [{ ...GIFT, code: 'a\0b' }])).toEqual({ failures });
    });
  });

  describe('active promotions without coupon', () => {
    const many = (count: number, more: object = {}) =>
      Array.from({ length: count }, (_, index) => ({ ...TENTH, code: `p${index}`, ...more }));
    const tooMany = { failures: ['API.Promotions.TooManyActive'] };

    it('are limited to 100', async () => {
      await put('promotions', ...many(MAX_ACTIVE));
      expect(await tryToPut('promotions', [TENTH])).toEqual(tooMany);
      expect(await list('promotions')).toHaveLength(MAX_ACTIVE);
      await put('promotions', { code: 'p0', active: false }, TENTH);
    });

    it('do not count when ended, inactive or with a coupon', async () => {
      await put('promotions', ...many(MAX_ACTIVE - 1));
      const until = new Date(given.clock.now().getTime() + 60_000).toISOString();
      await put('promotions', { ...TENTH, code: 'ends', valid_until: until });
      await put('promotions', { ...TENTH, code: 'off', active: false }, { ...TENTH, code: 'asked', coupon_code: 'C' });
      expect(await tryToPut('promotions', [TENTH])).toEqual(tooMany);
      given.clock.forward({ seconds: 60 });
      await put('promotions', TENTH);
    });
  });

  describe('a list', () => {
    it('is paged, oldest first', async () => {
      await put('vouchers', ...['c', 'a', 'b'].map((code) => ({ ...GIFT, code })));
      await put('vouchers', { code: 'c', amount: 90 });
      expect(await codes('vouchers')).toEqual(['c', 'a', 'b']);
      expect(await codes('vouchers', { offset: 1, limit: 1 })).toEqual(['a']);
      expect(await codes('vouchers', { offset: 3, limit: 1 })).toEqual([]);
    });
  });

  describe('a call without rows', () => {
    it('writes nothing', async () => {
      expect(await tryToPut('vouchers', [])).toEqual({ rows: [] });
    });
  });

  describe('amounts in another currency than the app’s', () => {
    it('are refused', async () => {
      const refused = tryToPut('vouchers', [GIFT], appId, 'EUR');
      await expect(refused).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
      expect(await list('vouchers')).toEqual([]);
    });
  });
}

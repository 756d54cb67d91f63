import type { Page } from '@back-office/kernel';
import { eachCase, type ManualClock, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ResourceName, SetUpQueries, SetUpRecords, StoredRow } from '../index.js';

export interface SetUpFixture {
  readonly setUpRecords: SetUpRecords;
  readonly setUpQueries: SetUpQueries;
  readonly clock: ManualClock;
  /** Adds an app with the currency RSD. */
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

export function setUpRecordsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<SetUpFixture>,
): void {
  let fixture: SetUpFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  const tryToPut = (name: ResourceName, rows: readonly unknown[], targetAppId = appId, currency = 'RSD') =>
    fixture.setUpRecords.put(name, { id: targetAppId, currency, decimals: 2 }, rows);
  const put = async (name: ResourceName, ...rows: readonly unknown[]): Promise<readonly StoredRow[]> => {
    const result = await tryToPut(name, rows);
    expect(result).toHaveProperty('rows');
    return 'rows' in result ? result.rows : [];
  };
  const list = (name: ResourceName, page: Page = ALL, targetAppId = appId) =>
    fixture.setUpQueries.list(name, targetAppId, page);
  const listCodes = async (name: ResourceName, page: Page = ALL, targetAppId = appId): Promise<string[]> =>
    (await list(name, page, targetAppId)).map(({ code }) => code);

  describe('a code that people type', () => {
    eachCase<[ResourceName, object, object, string]>(it, [
      ['vouchers', GIFT, { ...GIFT, code: ' Gift' }, 'API.Vouchers.CodeHasAlreadyBeenTaken'],
      ['vouchers', GIFT, { ...GIFT, code: 'gift\u00a0\t' }, 'API.Vouchers.CodeHasAlreadyBeenTaken'],
      [
        'promotions',
        { ...TENTH, coupon_code: 'SAVE10' },
        { ...TENTH, code: 'other', coupon_code: 'save10 ' },
        'API.Promotions.CouponCodeHasAlreadyBeenTaken',
      ],
    ])('of %s is refused when it differs from another only by case and spaces', async (name, first, second, key) => {
      expect(await tryToPut(name, [first, second])).toEqual({ failures: [{ row: 1, key }] });
      await put(name, first);
      expect(await tryToPut(name, [second])).toEqual({ failures: [{ row: 0, key }] });
      await put(name, first);
      const otherApp = await fixture.makeApp();
      expect(await tryToPut(name, [second], otherApp)).toHaveProperty('rows');
    });

    it('of a coupon may change its case, and move to another promotion in one call', async () => {
      await put('promotions', { ...TENTH, coupon_code: 'SAVE10' });
      expect(await put('promotions', { ...TENTH, coupon_code: 'save10 ' })).toMatchObject([{ coupon_code: 'save10 ' }]);
      const successor = { ...TENTH, code: 'other', coupon_code: 'Save10' };
      expect(await tryToPut('promotions', [{ ...TENTH, coupon_code: null }, successor])).toHaveProperty('rows');
    });

    it('of a coupon may belong to several promotions, and must not be blank', async () => {
      await put('promotions', { ...TENTH, coupon_code: 'SAVE10' }, { ...TENTH, code: 'other', coupon_code: 'SAVE10' });
      const blank = await tryToPut('promotions', [{ ...TENTH, coupon_code: ' ' }]);
      expect(blank).toEqual({ failures: [{ row: 0, key: 'API.Promotions.CouponCodeCantBeBlank' }] });
      expect(await put('promotions', { ...TENTH, coupon_code: null })).toMatchObject([{ coupon_code: null }]);
    });
  });

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
          valid_until: new Date('2030-01-01T23:59:59.999Z'),
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
    ])('in %s has its defaults', async (name, sentRow, storedRow) => {
      const now = fixture.clock.now();
      const [record] = await put(name, sentRow);
      expect(record).toMatchObject({ ...storedRow, inserted_at: now, updated_at: now });
      expect(record?.['id']).toBeGreaterThan(0);
      expect((await list(name)).at(-1)).toEqual(record);
    });

    it('is found only in its app', async () => {
      const otherAppId = await fixture.makeApp();
      await put('vouchers', GIFT);
      expect(await list('vouchers', ALL, otherAppId)).toEqual([]);
      await tryToPut('vouchers', [{ ...GIFT, amount: 70 }], otherAppId);
      expect(await list('vouchers')).toMatchObject([{ amount: 5000 }]);
    });

    it('is created only once by concurrent calls', async () => {
      await Promise.all(Array.from({ length: 6 }, () => put('promotions', TENTH)));
      expect(await listCodes('promotions')).toEqual(['tenth']);
    });
  });

  describe('the payment methods of a new app', () => {
    it('have the creation time of the app', async () => {
      const now = fixture.clock.now();
      const methods = await list('payment_methods');
      expect(methods.length).toBeGreaterThan(0);
      for (const method of methods) expect(method).toMatchObject({ inserted_at: now, updated_at: now });
    });
  });

  describe('an existing record', () => {
    it('keeps the values of absent fields and resets null ones', async () => {
      const [firstRecord] = await put('shipment_methods', { ...COURIER, free_from: 50, requires_pickup_point: true });
      fixture.clock.forward({ seconds: 5 });
      const [secondRecord] = await put('shipment_methods', { code: 'courier', price: 4, free_from: null });
      expect(secondRecord).toEqual({ ...firstRecord, price: 400, free_from: null, updated_at: fixture.clock.now() });
      expect(await list('shipment_methods')).toEqual([secondRecord]);
    });

    it('is found by its exact code', async () => {
      await put('payment_methods', CASH);
      await put('payment_methods', { ...CASH, code: 'TILL' });
      expect((await listCodes('payment_methods')).slice(-2)).toEqual(['till', 'TILL']);
    });

    it('applies a later row of the same call on top of the earlier row', async () => {
      const rows = await put('shipment_methods', COURIER, { ...COURIER, code: 'other' }, { code: 'courier', price: 9 });
      expect(rows.map(({ code }) => code)).toEqual(['courier', 'other', 'courier']);
      expect(rows[0]).toEqual(rows[2]);
      expect(rows[2]).toMatchObject({ name: 'Courier', price: 900 });
      expect(await listCodes('shipment_methods')).toEqual(['courier', 'other']);
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
    it('prevents all writes, and is reported with one message key', async () => {
      const rows = [CASH, { ...CASH, kind: 'shells' }, 7, { code: 'new', name: null, kind: null }];
      const storedMethods = await list('payment_methods');
      expect(await tryToPut('payment_methods', rows)).toEqual({
        failures: [
          { row: 1, key: 'API.PaymentMethods.KindIsInvalid' },
          { row: 2, key: 'API.PaymentMethods.WrongDataType' },
          { row: 3, key: 'API.PaymentMethods.NameCantBeBlank' },
        ],
      });
      expect(await list('payment_methods')).toEqual(storedMethods);
    });

    it('is refused when its customer does not exist', async () => {
      const [ownCustomer, foreignCustomer] = [
        await fixture.addCustomer(appId),
        await fixture.addCustomer(await fixture.makeApp()),
      ];
      const giftFor = (customer: unknown) => ({ ...GIFT, customer_id: customer });
      expect(await put('vouchers', giftFor(ownCustomer.id))).toMatchObject([{ customer_id: ownCustomer.id }]);
      const missingCustomer = { failures: [{ row: 0, key: 'API.Customers.NotFound' }] };
      expect(await tryToPut('vouchers', [giftFor(foreignCustomer.id)])).toEqual(missingCustomer);
      expect(await tryToPut('vouchers', [giftFor(2 ** 60)])).toEqual(missingCustomer);
    });

    it('is refused when its code cannot be stored', async () => {
      const failures = [{ row: 0, key: 'API.Vouchers.CodeIsInvalid' }];
      expect(await tryToPut('vouchers', [{ ...GIFT, code: 'a\0b' }])).toEqual({ failures });
    });
  });

  describe('active promotions without a coupon', () => {
    const makePromotions = (count: number, overrides: object = {}) =>
      Array.from({ length: count }, (_, index) => ({ ...TENTH, code: `p${index}`, ...overrides }));
    const TOO_MANY = { failures: [{ key: 'API.Promotions.TooManyActive' }] };

    it('are limited to 100', async () => {
      await put('promotions', ...makePromotions(MAX_ACTIVE));
      expect(await tryToPut('promotions', [TENTH])).toEqual(TOO_MANY);
      expect(await list('promotions')).toHaveLength(MAX_ACTIVE);
      await put('promotions', { code: 'p0', active: false }, TENTH);
    });

    it('are no longer counted after they end, become inactive or get a coupon', async () => {
      await put('promotions', ...makePromotions(MAX_ACTIVE - 1));
      const endTime = new Date(fixture.clock.now().getTime() + 60_000).toISOString();
      await put('promotions', { ...TENTH, code: 'ends', valid_until: endTime });
      await put('promotions', { ...TENTH, code: 'off', active: false }, { ...TENTH, code: 'asked', coupon_code: 'C' });
      expect(await tryToPut('promotions', [TENTH])).toEqual(TOO_MANY);
      fixture.clock.forward({ seconds: 60 });
      await put('promotions', TENTH);
    });
  });

  describe('current promotions of one coupon', () => {
    const makePromotions = (count: number, coupon: string, overrides: object = {}) =>
      Array.from({ length: count }, (_, index) => ({
        ...TENTH,
        code: `${coupon}${index}`,
        coupon_code: coupon,
        ...overrides,
      }));

    it('are limited to 10', async () => {
      await put('promotions', ...makePromotions(10, 'SAVE'), ...makePromotions(10, 'ZIMA'));
      const eleventh = { ...TENTH, code: 'eleventh', coupon_code: 'SAVE' };
      expect(await tryToPut('promotions', [eleventh])).toEqual({
        failures: [{ key: 'API.Promotions.TooManyWithCoupon' }],
      });
      expect(await list('promotions')).toHaveLength(20);
      await put('promotions', { ...eleventh, active: false });
      await put('promotions', { ...eleventh, active: true }, { code: 'SAVE0', active: false });
    });
  });

  describe('a list of records', () => {
    it('is paged, oldest first', async () => {
      await put('vouchers', ...['c', 'a', 'b'].map((code) => ({ ...GIFT, code })));
      await put('vouchers', { code: 'c', amount: 90 });
      expect(await listCodes('vouchers')).toEqual(['c', 'a', 'b']);
      expect(await listCodes('vouchers', { offset: 1, limit: 1 })).toEqual(['a']);
      expect(await listCodes('vouchers', { offset: 3, limit: 1 })).toEqual([]);
      const [, voucher] = await list('vouchers');
      expect(await listCodes('vouchers', { ...ALL, after: [String(voucher?.['id'])] })).toEqual(['b']);
      await expect(list('vouchers', { ...ALL, after: ['a'] })).rejects.toMatchObject({ name: 'InvalidPosition' });
    });
  });

  describe('a call without rows', () => {
    it('writes nothing', async () => {
      expect(await tryToPut('vouchers', [])).toEqual({ rows: [] });
    });
  });

  describe('amounts in a currency other than the app’s', () => {
    it('throw and are not stored', async () => {
      const call = tryToPut('vouchers', [GIFT], appId, 'EUR');
      await expect(call).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
      expect(await list('vouchers')).toEqual([]);
    });
  });
}

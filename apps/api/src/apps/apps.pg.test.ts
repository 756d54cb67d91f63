import { createHash, randomBytes } from 'node:crypto';
import type { TokenKey } from '@back-office/apps';
import type { Postgres } from '@back-office/database-postgres';
import { SqlAccessTokens } from '@back-office/database-postgres/testing';
import { tokenKeyOf } from '../http/authentication.js';
import { RawHttp } from '../testing/raw-http.js';
import { propose, setUp, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  http = new RawHttp(api.origin);
});
afterAll(async () => {
  http.close();
  await api.close();
});
beforeEach(async () => {
  shop = await api.app();
});

const SETTINGS_PATH = '/app/settings';
const apps = () => api.container.get(TOKENS.Apps);
const issueToken = async (client = shop) => (await apps().issueToken({ appId: client.appId })) as string;
const clientWithToken = (token: string, client = shop): Client => api.withOrigins({ ...client, token }, [api.origin]);
const statusOf = async (token: string): Promise<number> => (await clientWithToken(token).get(SETTINGS_PATH)).status;
const failureOf = async (token: string): Promise<unknown> => {
  const { status, body } = await clientWithToken(token).get(SETTINGS_PATH);
  expect(status).toBe(401);
  return body.errors.token;
};

describe('an app token', () => {
  it('has 256 random bits and is unique', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, () => issueToken()));
    expect(new Set(tokens).size).toBe(50);
    for (const token of tokens) expect(token).toMatch(new RegExp(`^bo_app_${shop.appId}_[\\w-]{43}$`));
  });

  it('is stored only as SHA-256', async () => {
    const token = await issueToken();
    const rows = await api.database.rows<{ row: string; token_hash: Buffer }>(
      'select token_hash, t::text as row from access_tokens t where app_id = $1 order by id desc limit 1',
      [shop.appId],
    );
    expect(rows[0]?.token_hash).toEqual(createHash('sha256').update(token).digest());
    expect(rows[0]?.row).not.toContain(token.slice(-43));
  });

  it('is not issued for an unknown app', async () => {
    expect(await apps().issueToken({ appId: 987_654 })).toBeUndefined();
  });

  it('works as soon as it is issued, even if it was refused as unknown before', async () => {
    const token = `bo_app_${randomBytes(32).toString('base64url')}`;
    expect(await failureOf(token)).toBe('API.Tokens.Invalid');
    await api.database.rows(
      `insert into access_tokens (app_id, kind, token_hash, inserted_at) values ($1, 'app', $2, $3)`,
      [shop.appId, createHash('sha256').update(token).digest(), api.clock.now()],
    );
    api.clock.forward({ seconds: 1 });
    expect(await statusOf(token)).toBe(200);
  });

  it('never expires by default', async () => {
    const token = await issueToken();
    api.clock.forward({ hours: 24 * 365 * 20 });
    expect(await statusOf(token)).toBe(200);
  });

  it('is reported as revoked when it is both revoked and expired', async () => {
    const expiresAt = new Date(api.clock.now().getTime() + 1_000);
    const token = (await apps().issueToken({ appId: shop.appId, expiresAt })) as string;
    await apps().revokeToken(token);
    api.clock.forward({ seconds: 2 });
    expect(await failureOf(token)).toBe('API.Tokens.Revoked');
  });
});

describe('the look-up of a token', () => {
  it.each([
    ['the language of the token', 'sr', 'zdravo', ['good morning']],
    ["the app's language when the token has none", undefined, 'good morning', ['zdravo']],
    ['no language when its language has no translations', 'de', 'hello', ['zdravo', 'good morning']],
  ])('reads only the translations for %s', async (_, language, expected, hiddenSentences) => {
    await patchSettings({ translations: { sr: { hello: 'zdravo' }, en: { hello: 'good morning' } } });
    const token = (await apps().issueToken({ appId: shop.appId, ...(language && { language }) })) as string;
    const readRows: unknown[] = [];
    const recordingDatabase = {
      rows: async (text: string, values: readonly unknown[]) => {
        const rows = await api.database.rows(text, values);
        readRows.push(...rows);
        return rows;
      },
    };
    const holder = await new SqlAccessTokens(recordingDatabase as unknown as Postgres, api.clock).holderOf(
      tokenKeyOf(token) as TokenKey,
    );
    expect(holder?.app.say('hello')).toBe(expected);
    for (const sentence of hiddenSentences) expect(JSON.stringify(readRows)).not.toContain(sentence);
    expect((await readSettings()).data.translations).toEqual({
      sr: { hello: 'zdravo' },
      en: { hello: 'good morning' },
    });
  });
});

const DEFAULT_SETTINGS = {
  name: 'Test',
  currency: 'RSD',
  default_language: 'en',
  translations: {},
  proforma: { lifetime_hours: 72, expire_paid: false, minimum_basket_amount: 0 },
  evaluation: { retention_days: 30 },
  media: {
    prefix: expect.stringMatching(/^[a-z0-9]{8}$/),
    trash_retention_days: 30,
    refuse_delete_in_use: false,
    unused_threshold_days: 30,
    auto_hide_unused_days: null,
    serve_trash: true,
  },
  bank_account: { beneficiary: '', address: '', account_number: '', purpose: '', payment_code: '' },
  loyalty: { points_per_amount: 0 },
  audit: { retention_days: 400 },
  events: { retention_days: 30 },
  sessions: { idle_days: 30, max_days: 90 },
  default_warehouse_code: null,
};
const patchSettings = (body: object, client = shop): Promise<Reply> => client.patch(SETTINGS_PATH, body);
const patchAndRead = async (body: object) => {
  const { status, body: answer } = await patchSettings(body);
  expect([status, answer.errors]).toEqual([200, undefined]);
  expect((await readSettings()).data).toEqual(answer.data);
  return answer.data;
};
const readSettings = async (client = shop) => (await client.get(SETTINGS_PATH)).body;

describe('the settings of a new app', () => {
  it('equal the defaults', async () => {
    expect(await readSettings()).toEqual({ data: DEFAULT_SETTINGS });
  });

  it('have the app’s currency and a unique media prefix', async () => {
    const otherSettings = await readSettings(await api.app('EUR'));
    expect(otherSettings.data.currency).toBe('EUR');
    expect(otherSettings.data.media.prefix).not.toBe((await readSettings()).data.media.prefix);
  });
});

describe('PATCH /app/settings', () => {
  beforeEach(() => shop.put('/warehouse', { warehouses: [warehouse('W1')] }));

  const FULL_SETTINGS = {
    name: 'Prodavnica',
    default_language: 'sr-Latn-RS',
    translations: { sr: { 'API.Stocks.VariantNotFound': 'Nema artikla' } },
    proforma: { lifetime_hours: 8_784, expire_paid: true, minimum_basket_amount: 5_000 },
    evaluation: { retention_days: 90 },
    media: {
      trash_retention_days: 0,
      refuse_delete_in_use: true,
      unused_threshold_days: 7,
      auto_hide_unused_days: 90,
      serve_trash: false,
    },
    bank_account: {
      beneficiary: 'Shop',
      address: 'Put 1',
      account_number: '160-123456-54',
      purpose: 'Roba',
      payment_code: '221',
    },
    loyalty: { points_per_amount: 100 },
    audit: { retention_days: 30 },
    events: { retention_days: 7 },
    sessions: { idle_days: 7, max_days: 10 },
    default_warehouse_code: 'W1',
  };
  const WRITTEN_SETTINGS = {
    ...FULL_SETTINGS,
    currency: 'RSD',
    media: { ...FULL_SETTINGS.media, prefix: DEFAULT_SETTINGS.media.prefix },
  };

  it('changes all fields', async () => {
    expect(await patchAndRead(FULL_SETTINGS)).toEqual(WRITTEN_SETTINGS);
  });

  it.each(Object.entries(FULL_SETTINGS))('changes only %s', async (field, value) => {
    expect(await patchAndRead({ [field]: value })).toEqual({
      ...DEFAULT_SETTINGS,
      [field]: WRITTEN_SETTINGS[field as keyof typeof WRITTEN_SETTINGS],
    });
    expect(value).not.toEqual(DEFAULT_SETTINGS[field as keyof typeof DEFAULT_SETTINGS]);
  });

  it('keeps absent fields, also within a section', async () => {
    await patchAndRead(FULL_SETTINGS);
    const {
      proforma,
      bank_account: account,
      ...otherSettings
    } = await patchAndRead({
      proforma: { expire_paid: false },
      bank_account: { purpose: 'Usluge' },
    });
    expect(proforma).toEqual({ ...FULL_SETTINGS.proforma, expire_paid: false });
    expect(account).toEqual({ ...FULL_SETTINGS.bank_account, purpose: 'Usluge' });
    const { proforma: _, bank_account: __, ...expectedSettings } = WRITTEN_SETTINGS;
    expect(otherSettings).toEqual(expectedSettings);
  });

  it('changes nothing for an empty body', async () => {
    await patchAndRead(FULL_SETTINGS);
    expect(await patchAndRead({})).toEqual(WRITTEN_SETTINGS);
    expect(await patchAndRead({ proforma: {}, media: {}, translations: {}, unknown: { lifetime_hours: 1 } })).toEqual(
      WRITTEN_SETTINGS,
    );
  });

  it('restores defaults for null fields and sections', async () => {
    await patchAndRead(FULL_SETTINGS);
    expect(
      await patchAndRead({
        proforma: { lifetime_hours: null },
        media: { auto_hide_unused_days: null, trash_retention_days: null },
        loyalty: { points_per_amount: null },
        default_language: null,
        default_warehouse_code: null,
      }),
    ).toEqual({
      ...WRITTEN_SETTINGS,
      default_language: 'en',
      proforma: { ...FULL_SETTINGS.proforma, lifetime_hours: 72 },
      media: { ...WRITTEN_SETTINGS.media, auto_hide_unused_days: null, trash_retention_days: 30 },
      loyalty: { points_per_amount: 0 },
      default_warehouse_code: null,
    });
    const sections = {
      proforma: null,
      evaluation: null,
      media: null,
      bank_account: null,
      loyalty: null,
      audit: null,
      events: null,
      sessions: null,
      translations: null,
    };
    expect(await patchAndRead(sections)).toEqual({ ...DEFAULT_SETTINGS, name: 'Prodavnica' });
  });

  it('keeps name and currency for null, because they have no default', async () => {
    await patchAndRead(FULL_SETTINGS);
    expect(await patchAndRead({ name: null, currency: null })).toEqual(WRITTEN_SETTINGS);
  });

  it('merges translations by key, and removes a key for null', async () => {
    await patchAndRead({ translations: { sr: { a: '1', b: '2' }, en: { a: 'one' } } });
    const { translations } = await patchAndRead({ translations: { sr: { b: null, c: '3' }, de: { a: 'eins' } } });
    expect(translations).toEqual({ sr: { a: '1', c: '3' }, en: { a: 'one' }, de: { a: 'eins' } });
  });

  it('limits translations to 128 KiB', async () => {
    const serbianSentences = Object.fromEntries(
      Array.from({ length: 65 }, (_, index) => [`k${index}`, 'č'.repeat(1_000)]),
    );
    const bytesOf = (translations: object): number => Buffer.byteLength(JSON.stringify(translations));
    const makeTranslationOfBytes = (bytes: number) => ({
      k: 'x'.repeat(bytes - bytesOf({ sr: serbianSentences, en: { k: '' } })),
    });
    await patchAndRead({ translations: { sr: serbianSentences } });

    const reply = await patchSettings({ name: 'New', translations: { en: makeTranslationOfBytes(128 * 1024 + 1) } });
    expect([reply.status, reply.body]).toEqual([422, { errors: { translations: ['is too long'] } }]);
    expect((await readSettings()).data).toMatchObject({ name: 'Test', translations: { sr: serbianSentences } });

    const largestTranslations = { sr: serbianSentences, en: makeTranslationOfBytes(128 * 1024) };
    expect(bytesOf(largestTranslations)).toBe(128 * 1024);
    expect((await patchAndRead({ translations: { en: largestTranslations.en } })).translations).toEqual(
      largestTranslations,
    );
    expect(await patchAndRead({ name: 'New' })).toMatchObject({ name: 'New', translations: largestTranslations });
    expect((await patchAndRead({ translations: { en: { k: null } } })).translations).toEqual({
      sr: serbianSentences,
      en: {},
    });
  });

  it('takes effect from the next call in the same process', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    for (const hours of [1, 2, 3]) {
      await patchAndRead({ proforma: { lifetime_hours: hours } });
      const { processing_date: from, expires_at: expiresAt } = await propose(shop, [{ code: 'A', qty: 1 }]);
      expect(Date.parse(expiresAt) - Date.parse(from)).toBe(hours * 3_600_000);
    }
  });

  it('accepts the current currency', async () => {
    expect(await patchAndRead({ currency: 'RSD' })).toEqual(DEFAULT_SETTINGS);
  });

  it('clears the default warehouse for a blank code', async () => {
    await patchAndRead({ default_warehouse_code: 'W1' });
    expect(await patchAndRead({ default_warehouse_code: '' })).toEqual(DEFAULT_SETTINGS);
    await patchAndRead({ default_warehouse_code: 'W1' });
    expect(await patchAndRead({ default_warehouse_code: '  ' })).toEqual(DEFAULT_SETTINGS);
  });

  it('refuses a default warehouse that is deleted or belongs to another app', async () => {
    const otherApp = await api.app();
    expect((await patchSettings({ default_warehouse_code: 'W1' }, otherApp)).status).toBe(422);
    await shop.put('/warehouse', { warehouses: [{ code: 'W1', delete: true }] });
    expect((await patchSettings({ default_warehouse_code: 'W1' })).status).toBe(422);
  });

  it('keeps a stored invalid account when other settings change', async () => {
    const olderSettings = { bank_account: { account_number: 'abc' } };
    await api.database.rows('update app_settings set settings = $2 where app_id = $1', [
      shop.appId,
      JSON.stringify(olderSettings),
    ]);
    const { bank_account: account } = await patchAndRead({ bank_account: { purpose: 'Roba' } });
    expect(account).toMatchObject({ account_number: 'abc', purpose: 'Roba' });
  });

  const longText = 'č'.repeat(256);
  it.each([
    ['a blank name', { name: ' ' }, { name: ["can't be blank"] }],
    ['an empty name', { name: '' }, { name: ["can't be blank"] }],
    ['a long name', { name: longText }, { name: ['is too long'] }],
    ['NUL in the name', { name: 'a\0' }, { name: ['is invalid'] }],
    ['an unknown currency', { currency: 'XYZ' }, { currency: ['is invalid'] }],
    ['no currency', { currency: '' }, { currency: ['is invalid'] }],
    ['a currency in another case', { currency: 'rsd' }, { currency: ['is invalid'] }],
    ['a long currency', { currency: 'RSDX' }, { currency: ['is too long'] }],
    ['an invalid language', { default_language: 'sr_RS!' }, { default_language: ['is invalid'] }],
    ['an empty language', { default_language: '' }, { default_language: ["can't be blank"] }],
    ['a lifetime of 0', { proforma: { lifetime_hours: 0 } }, { 'proforma.lifetime_hours': ['must be greater than 0'] }],
    [
      'a lifetime below 0',
      { proforma: { lifetime_hours: -1 } },
      { 'proforma.lifetime_hours': ['must be greater than 0'] },
    ],
    [
      'a lifetime beyond a year',
      { proforma: { lifetime_hours: 8_785 } },
      { 'proforma.lifetime_hours': ['is invalid'] },
    ],
    ['a prefix', { media: { prefix: 'abcd1234' } }, { 'media.prefix': ['is invalid'] }],
    ['an empty prefix', { media: { prefix: '' } }, { 'media.prefix': ['is invalid'] }],
    ['retention below 0', { media: { trash_retention_days: -1 } }, { 'media.trash_retention_days': ['is invalid'] }],
    [
      'retention of 101 years',
      { media: { trash_retention_days: 36_501 } },
      { 'media.trash_retention_days': ['is invalid'] },
    ],
    [
      'a threshold below 0',
      { media: { unused_threshold_days: -1 } },
      { 'media.unused_threshold_days': ['is invalid'] },
    ],
    [
      'hiding after 0 days',
      { media: { auto_hide_unused_days: 0 } },
      { 'media.auto_hide_unused_days': ['must be greater than 0'] },
    ],
    [
      'a long beneficiary',
      { bank_account: { beneficiary: 'x'.repeat(71) } },
      { 'bank_account.beneficiary': ['is too long'] },
    ],
    ['a long address', { bank_account: { address: 'x'.repeat(71) } }, { 'bank_account.address': ['is too long'] }],
    [
      'a long account',
      { bank_account: { account_number: '1'.repeat(35) } },
      { 'bank_account.account_number': ['is too long'] },
    ],
    ['a long purpose', { bank_account: { purpose: 'x'.repeat(141) } }, { 'bank_account.purpose': ['is too long'] }],
    [
      'a payment code of letters',
      { bank_account: { payment_code: 'abc' } },
      { 'bank_account.payment_code': ['is invalid'] },
    ],
    [
      'a payment code of 4 digits',
      { bank_account: { payment_code: '2210' } },
      { 'bank_account.payment_code': ['is invalid'] },
    ],
    [
      'a payment code of zeros',
      { bank_account: { payment_code: '000' } },
      { 'bank_account.payment_code': ['is invalid'] },
    ],
    [
      'an account of letters',
      { bank_account: { account_number: 'abc' } },
      { 'bank_account.account_number': ['is invalid'] },
    ],
    [
      'an account with wrong check digits',
      { bank_account: { account_number: '160-123456-89' } },
      { 'bank_account.account_number': ['is invalid'] },
    ],
    ['an unknown warehouse', { default_warehouse_code: 'W2' }, { default_warehouse_code: ['is invalid'] }],
    [
      'an invalid account and an unknown warehouse',
      { bank_account: { account_number: 'DE89370400440532013000' }, default_warehouse_code: 'w1' },
      { 'bank_account.account_number': ['is invalid'], default_warehouse_code: ['is invalid'] },
    ],
    ['points below 0', { loyalty: { points_per_amount: -1 } }, { 'loyalty.points_per_amount': ['is invalid'] }],
    ['a long warehouse code', { default_warehouse_code: longText }, { default_warehouse_code: ['is too long'] }],
    ['a language without a name', { translations: { '': { a: 'b' } } }, { translations: ['is invalid'] }],
    ['a sentence without a key', { translations: { sr: { '': 'b' } } }, { translations: ['is invalid'] }],
    ['a sentence with NUL', { translations: { sr: { a: 'b\0' } } }, { translations: ['is invalid'] }],
    ['a key with a lone surrogate', { translations: { sr: { '\ud800': 'b' } } }, { translations: ['is invalid'] }],
    [
      'a sentence of 1,001 characters',
      { translations: { sr: { a: 'x'.repeat(1_001) } } },
      { translations: ['is invalid'] },
    ],
    [
      'a language called __proto__',
      { translations: JSON.parse('{"__proto__":{"a":"b"}}') as object },
      { translations: ['is invalid'] },
    ],
    [
      'several invalid fields',
      {
        name: '',
        currency: 'XYZ',
        proforma: { lifetime_hours: 0 },
        bank_account: { payment_code: 'x', account_number: 'abc' },
        translations: { '': {} },
      },
      {
        name: ["can't be blank"],
        currency: ['is invalid'],
        'bank_account.account_number': ['is invalid'],
        translations: ['is invalid'],
        'proforma.lifetime_hours': ['must be greater than 0'],
        'bank_account.payment_code': ['is invalid'],
      },
    ],
  ])('refuses %s and changes nothing', async (_, change, errors) => {
    const reply = await patchSettings({ ...FULL_SETTINGS, ...change });
    expect([reply.status, reply.body]).toEqual([422, { errors }]);
    expect(await readSettings()).toEqual({ data: DEFAULT_SETTINGS });
  });

  it.each([
    { name: 5 },
    { currency: 941 },
    { default_language: [] },
    { default_warehouse_code: 1 },
    { translations: 'sr' },
    { translations: [] },
    { translations: { sr: 'x' } },
    { translations: { sr: null } },
    { translations: { sr: { a: 5 } } },
    { proforma: [] },
    { proforma: 72 },
    { proforma: { lifetime_hours: '72' } },
    { proforma: { lifetime_hours: 1.5 } },
    { proforma: { expire_paid: 'true' } },
    { proforma: { expire_paid: 1 } },
    { media: 'x' },
    { media: { prefix: 5 } },
    { media: { trash_retention_days: '30' } },
    { media: { refuse_delete_in_use: 0 } },
    { bank_account: [] },
    { bank_account: { payment_code: 221 } },
    { loyalty: { points_per_amount: '1' } },
  ])('refuses %j, which has a wrong type, and changes nothing', async (body) => {
    const reply = await patchSettings({ ...FULL_SETTINGS, ...body });
    expect([reply.status, reply.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    expect(await readSettings()).toEqual({ data: DEFAULT_SETTINGS });
  });
});

describe('the currency of an app', () => {
  const currencyOf = async (): Promise<string> => (await readSettings()).data.currency;
  const product = { code: 'A', name: 'A', price: 10, variants: [{ code: 'A' }] };
  const priceOf = async (): Promise<number> => (await shop.get('/products?code=A')).body.data.price;

  it('can change while the app has no amounts', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1')] });
    expect(await patchAndRead({ currency: 'JPY' })).toEqual({ ...DEFAULT_SETTINGS, currency: 'JPY' });
    await stockShop(shop, [{ code: 'A', price: 10 }]);
    expect(await propose(shop, [{ code: 'A', qty: 1 }])).toMatchObject({ end_sales: 10, currency_id: 392 });
    expect(await api.database.rows('select price from products where app_id = $1', [shop.appId])).toEqual([
      { price: 10 },
    ]);
  });

  it.each([
    ['a product', () => shop.post('/int/products', { products: [{ code: 'A', name: 'A' }] })],
    ['a promotion', () => setUp(shop, 'promotions', [{ code: 'P', name: 'P', kind: 'amount', value: 5 }])],
    ['a shipment method', () => setUp(shop, 'shipment_methods', [{ code: 'S', name: 'S', price: 5, vat_rate: 20 }])],
    ['a voucher', () => setUp(shop, 'vouchers', [{ code: 'V', amount: 5 }])],
  ])('cannot change after the app gets %s', async (_, add) => {
    await add();
    const reply = await patchSettings({ currency: 'EUR' });
    expect([reply.status, reply.body]).toEqual([422, { errors: { currency: ['is invalid'] } }]);
    expect(await currencyOf()).toBe('RSD');
    expect((await patchSettings({ currency: 'RSD' })).status).toBe(200);
  });

  it('can change together with the account', async () => {
    const ibanAccount = { account_number: 'DE89370400440532013000' };
    expect((await patchSettings({ bank_account: ibanAccount })).status).toBe(422);
    expect(await patchAndRead({ currency: 'EUR', bank_account: ibanAccount })).toMatchObject({
      currency: 'EUR',
      bank_account: ibanAccount,
    });
    const reply = await patchSettings({ currency: 'RSD' });
    expect([reply.status, reply.body.errors]).toEqual([422, { 'bank_account.account_number': ['is invalid'] }]);
  });

  it('does not change between the check and the write of the first amount', async () => {
    for (let round = 0; round < 10; round += 1) {
      shop = await api.app();
      const [currencyReply, productReply] = await Promise.all([
        patchSettings({ currency: 'JPY' }),
        shop.post('/int/products', { products: [product] }),
      ]);
      expect([200, 422]).toContain(currencyReply.status);
      expect([200, 503]).toContain(productReply.status);
      expect(await currencyOf()).toBe(currencyReply.status === 200 ? 'JPY' : 'RSD');
      if (productReply.status === 200) expect(await priceOf()).toBe(10);
    }
  });

  it('refuses writes of amounts after a change by another process, until this process has read the change', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    await api.database.rows(`update app_settings set currency = 'JPY' where app_id = $1`, [shop.appId]);
    const voucher = { code: 'V', amount: 5 };
    const writeCalls = [
      () => shop.post('/int/products', { products: [product] }),
      () => shop.put('/vouchers', { vouchers: [voucher] }),
      () => shop.post('/order_processings', { order_processing: { items: [{ code: 'A', qty: 1 }] } }),
      () => shop.post('/int/orders', { order: { external_ref: 'R', items: [{ code: 'A', qty: 1 }] } }),
    ];
    for (const write of writeCalls) expect((await write()).status).toBe(503);
    api.clock.forward({ seconds: 2 });
    for (const write of writeCalls) expect([200, 201]).toContain((await write()).status);
    expect((await shop.get('/orders')).body.data).toMatchObject([{ currency_id: 392 }]);
  });
});

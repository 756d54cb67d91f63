import type { AppContext } from '@back-office/apps';
import { proformaListStatement } from '@back-office/database-postgres';
import { loadRows, explainStatement } from '@back-office/database-postgres/testing';
import { startPaymentService, type PaymentService } from '../testing/payment-service.js';
import { GUEST, methodId, newCustomer, propose, setUp, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let service: PaymentService;
let api: TestApi;
let shop: Client;
/** Letter of each proforma by id. `a` is the oldest; the proformas are six hours apart and cover every status. */
let letterById: Map<number, string>;
let miraId: number;
let veraId: number;
const NEWEST_FIRST = 'hgfedcba';

beforeAll(async () => {
  service = await startPaymentService();
  api = await testApi({ REFUND_URL: service.url });
  shop = await newShop();
  await addProformas();
});
afterAll(async () => {
  await api.close();
  service.close();
});

async function newShop(): Promise<Client> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', price: 100, stock: 1_000 }]);
  return client;
}

const makeGuest = (first_name: string, last_name: string) => ({ guest: { ...GUEST, first_name, last_name } });
const makeProforma = (qty: number, options: object, client = shop) => propose(client, [{ code: 'A', qty }], options);
const setLifetime = (hours: number, client = shop) =>
  client.patch('/app/settings', { proforma: { lifetime_hours: hours } });
const pay = async (id: number, amount = 0, client = shop) => {
  const payment = { payment_method_id: await methodId(client, 'cash'), amount };
  expect((await client.post(`/proforma_orders/${id}/pay`, { payment })).status).toBe(200);
};
const confirm = async (id: number, adjustments: readonly object[] = [], client = shop) => {
  expect((await client.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments })).status).toBe(200);
};
const convert = async (id: number, client = shop) => {
  expect((await client.post(`/proforma_orders/${id}/convert`)).status).toBe(200);
};

async function addProformas(): Promise<void> {
  const customer = await newCustomer(shop, 'mira@example.com');
  const veraFields = { email: 'vera@example.com', first_name: 'Vera', last_name: 'Anić', external_ref: 'vera' };
  miraId = customer.customer_id;
  veraId = (await shop.post('/customers', { customer: veraFields })).body.data.id;
  const ids: number[] = [];
  const specifications: readonly [
    pieces: number,
    lifetimeHours: number,
    buyer: object,
    action: (id: number, line: number) => Promise<unknown>,
  ][] = [
    [1, 100, makeGuest('Ana', 'Kovačević'), (id) => pay(id)],
    [2, 90, customer, (id) => shop.post(`/proforma_orders/${id}/card_payments`, { payment: {} })],
    [3, 720, customer, async () => undefined],
    [4, 60, makeGuest('Eva', 'Anić'), async (id) => [await pay(id, 50), await confirm(id)]],
    [5, 72, makeGuest('Bo', 'Kovačević'), overpay],
    [6, 72, { customer_external_ref: 'vera' }, (id) => convert(id)],
    [7, 72, makeGuest('Zoe', 'Marić'), async (id) => [await pay(id), await shop.delete(`/proforma_orders/${id}`)]],
    [8, 1, makeGuest('Ana', 'Anić'), async () => undefined],
  ];
  service.status = 400;
  for (const [qty, hours, buyer, applyAction] of specifications) {
    await setLifetime(hours);
    const { id, items } = await makeProforma(qty, buyer);
    await applyAction(id, items[0].proforma_order_item_id);
    ids.push(id);
    api.clock.forward({ hours: 6 });
  }
  service.status = 200;
  letterById = new Map(ids.map((id, index) => [id, 'abcdefgh'.charAt(index)]));
  expect((await shop.get(`/proforma_orders/${ids[7]}`)).body.data.proforma_status).toBe('expired');
  api.clock.forward({ seconds: 1 });
  await shop.patch(`/proforma_orders/${ids[0]}`, { comment: 'changed last' });
  api.clock.forward({ seconds: -1 });
}

async function overpay(id: number, line: number): Promise<void> {
  await pay(id);
  await confirm(id, [{ proforma_order_item_id: line, qty_confirmed: 1 }]);
  const { body } = await shop.patch(`/proforma_orders/${id}`, { alerts: [{ index: 0, resolved: true }] });
  expect(body.data).toMatchObject({ alerts_count: 1, open_alerts_count: 0 });
}

const listProformas = async (query: string, client = shop): Promise<{ id: number; proforma_number: string }[]> => {
  const { status, body } = await client.get(`/proforma_orders?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listLetters = async (query: string): Promise<string> =>
  (await listProformas(query)).map(({ id }) => letterById.get(id)).join('');

describe('GET /proforma_orders?status', () => {
  it.each([
    ['draft', 'c'],
    ['awaiting_payment', 'b'],
    ['paid', 'a'],
    ['confirmed', 'd'],
    ['partial_confirmed', 'e'],
    ['converted', 'f'],
    ['canceled', 'g'],
    ['expired', 'h'],
    ['paid,expired,draft', 'hca'],
    ['draft,paid,awaiting_payment,confirmed,partial_confirmed,converted,canceled,expired', NEWEST_FIRST],
    ['draft,draft', 'c'],
    ['draft,nothing,paid', 'ca'],
    ['nothing', NEWEST_FIRST],
    ['Draft', NEWEST_FIRST],
    ['', NEWEST_FIRST],
    [',', NEWEST_FIRST],
    ['%00', NEWEST_FIRST],
    ['draft&status=paid', 'ca'],
  ])('shows for %s the proformas %j', async (status, expected) => {
    expect(await listLetters(`status=${status}`)).toBe(expected);
  });

  it.each(['status[]=draft&status[]=paid', 'status[0]=draft&status[1]=paid'])(
    'accepts several statuses as %s',
    async (query) => {
      expect(await listLetters(query)).toBe('ca');
    },
  );
});

describe('GET /proforma_orders?reference', () => {
  const referencesOf = async (letters: string): Promise<string[]> => {
    const ids = [...letterById].filter(([, letter]) => letters.includes(letter)).map(([id]) => id);
    const proformas = await Promise.all(ids.map((id) => shop.get(`/proforma_orders/${id}`)));
    return proformas.map(({ body }) => body.data.transaction_reference);
  };

  it('finds proformas by number and by payment reference, in every status', async () => {
    const [reference = '', other = ''] = await referencesOf('ah');
    const [number] = (await listProformas(`reference=${reference}`)).map(({ proforma_number }) => proforma_number);
    expect(await listLetters(`reference=${reference}`)).toBe('a');
    expect(await listLetters(`reference=${number}`)).toBe('a');
    expect(await listLetters(`reference=97${reference.replaceAll('-', '').toLowerCase()},%20${other}`)).toBe('ha');
    expect(await listLetters(`reference=${reference}&reference=${other}&status=expired`)).toBe('h');
  });

  it('lists as many rows as it finds, each with its payment reference and without a cursor', async () => {
    const client = await newShop();
    const references: string[] = [];
    for (let index = 0; index < 32; index += 1) {
      references.push((await propose(client, [{ code: 'A', qty: 1 }])).transaction_reference);
    }
    const { body, headers } = await client.get(`/proforma_orders?reference=${references.join(',')}`);
    const found = body.data.map(
      ({ transaction_reference }: { transaction_reference: string }) => transaction_reference,
    );
    expect(found).toEqual(references.toReversed());
    expect(headers['next-cursor']).toBeUndefined();
    const page = await client.get(`/proforma_orders?limit=5&reference=${references.join(',')}`);
    expect([page.body.data.length, typeof page.headers['next-cursor']]).toEqual([5, 'string']);
  });

  it('finds nothing for an unknown or invalid reference', async () => {
    const [reference = ''] = await referencesOf('a');
    const wrongDigits = `${reference.startsWith('11') ? '12' : '11'}${reference.slice(2)}`;
    for (const invalid of [wrongDigits, 'invoice 7', 'P-2026-000000', '%00'])
      expect(await listLetters(`reference=${invalid}`)).toBe('');
  });

  it('is ignored when blank', async () => {
    expect([await listLetters('reference='), await listLetters('reference=,%20')]).toEqual([
      NEWEST_FIRST,
      NEWEST_FIRST,
    ]);
  });
});

describe('GET /proforma_orders?expiring_within', () => {
  it.each([
    ['0', ''],
    ['29', ''],
    ['30', 'd'],
    ['48', 'edb'],
    ['52', 'edba'],
    ['999999999999999999', 'edcba'],
    ['-1', NEWEST_FIRST],
    ['1.5', NEWEST_FIRST],
    ['soon', NEWEST_FIRST],
    ['', NEWEST_FIRST],
    ['30&expiring_within=48', NEWEST_FIRST],
  ])('shows for %s hours the open proformas %j', async (hours, expected) => {
    expect(await listLetters(`expiring_within=${hours}`)).toBe(expected);
  });
});

describe('GET /proforma_orders?has_alerts', () => {
  it.each([
    ['true', 'g'],
    ['1', 'g'],
    ['false', 'hfedcba'],
    ['0', 'hfedcba'],
    ['yes', NEWEST_FIRST],
    ['TRUE', NEWEST_FIRST],
    ['', NEWEST_FIRST],
  ])('shows for %s the proformas %j, ignoring resolved alerts', async (value, expected) => {
    expect(await listLetters(`has_alerts=${value}`)).toBe(expected);
  });
});

describe('GET /proforma_orders?anonymous', () => {
  it.each([
    ['true', 'hgeda'],
    ['1', 'hgeda'],
    ['false', 'fcb'],
    ['0', 'fcb'],
    ['no', NEWEST_FIRST],
    ['', NEWEST_FIRST],
  ])('shows for %s the proformas %j', async (value, expected) => {
    expect(await listLetters(`anonymous=${value}`)).toBe(expected);
  });
});

describe('GET /proforma_orders?customer_id', () => {
  it('finds the proformas of a customer', async () => {
    expect([await listLetters(`customer_id=${miraId}`), await listLetters(`customer_id=${veraId}`)]).toEqual([
      'cb',
      'f',
    ]);
  });

  it.each(['987654', '0', '-1', '99999999999999999999'])('finds no proforma of the unknown customer %s', async (id) => {
    expect(await listLetters(`customer_id=${id}`)).toBe('');
  });

  it.each(['mira', '1.5', '', '1&customer_id=2'])('ignores %s, which is not an integer', async (id) => {
    expect(await listLetters(`customer_id=${id}`)).toBe(NEWEST_FIRST);
  });
});

describe('GET /proforma_orders with date_from or date_to', () => {
  it.each([
    ['date_from=2026-11-22', 'hgfed'],
    ['date_from=2026-11-22T04:00:00', 'hgfed'],
    ['date_from=2026-11-22T04:00:00Z', 'hgfed'],
    ['date_from=2026-11-22T05:00:00%2B01:00', 'hgfed'],
    ['date_from=2026-11-22T04:00:01', 'hgfe'],
    ['date_to=2026-11-22', 'gfedcba'],
    ['date_to=2026-11-22T00:00:00', 'cba'],
    ['date_to=2026-11-22T04:00:00', 'dcba'],
    ['date_to=2026-11-22T04:00:00.000Z', 'dcba'],
    ['date_to=2026-11-22T04:00', 'dcba'],
    ['date_to=2026-11-22+04:00', 'dcba'],
    ['date_to=2026-11-22T03:59:59', 'cba'],
    ['date_from=2026-11-22&date_to=2026-11-22', 'gfed'],
    ['date_from=2026-11-22T04:00:00&date_to=2026-11-22T04:00:00', 'd'],
    ['date_from=2026-11-23&date_to=2026-11-22', ''],
    ['date_from=0001-01-01&date_to=9999-12-31', NEWEST_FIRST],
  ])('shows for %s the proformas %j', async (query, expected) => {
    expect(await listLetters(query)).toBe(expected);
  });

  it.each([
    '2026-13-01',
    '2026-02-30',
    'yesterday',
    '',
    '22.11.2026',
    '2026-11-22%00',
    '2026-11-22&date_to=2026-11-22',
  ])('ignores the invalid date %s', async (value) => {
    expect(await listLetters(`date_to=${value}`)).toBe(NEWEST_FIRST);
  });

  it('includes the last second in full', async () => {
    const client = await newShop();
    api.clock.forward({ seconds: 0.5 });
    const { processing_date: processingDate } = await makeProforma(1, {}, client);
    expect(await listProformas(`date_from=${processingDate}&date_to=${processingDate}`, client)).toHaveLength(1);
    expect(await listProformas(`date_to=${processingDate}`, client)).toHaveLength(1);
    api.clock.forward({ seconds: -0.5 });
  });
});

describe('GET /proforma_orders with several filters', () => {
  it.each([
    ['status=paid,confirmed,expired&anonymous=true&date_to=2026-11-22', 'da'],
    ['status=draft,converted&anonymous=false&orderBy=end_sales', 'cf'],
    ['expiring_within=48&status=awaiting_payment,canceled', 'b'],
    ['has_alerts=false&anonymous=true&date_from=2026-11-22&limit=1&offset=1', 'e'],
    ['has_alerts=true&status=draft', ''],
  ])('applies all filters of %s and lists %j', async (query, expected) => {
    expect(await listLetters(query)).toBe(expected);
  });
});

describe('GET /proforma_orders?orderBy', () => {
  it.each([
    '',
    'nothing',
    'id',
    'sales',
    'end_sales DESC',
    'End_sales',
    'end_sales  desc',
    ' end_sales',
    'end_sales desc,paid',
    'end_sales; drop table x',
    'constructor',
    'end_sales&orderBy=paid',
    '%00',
  ])('falls back to newest first for %j', async (orderBy) => {
    expect(await listLetters(`orderBy=${orderBy}`)).toBe(NEWEST_FIRST);
  });
});

describe('GET /proforma_orders in pages', () => {
  it.each([
    ['', 24],
    ['status=draft,canceled,converted', 24],
    ['status=draft,converted', 16],
    ['status=draft,converted&orderBy=end_sales desc', 16],
    ['status=draft,canceled&anonymous=true', 16],
    ['orderBy=customer_name', 24],
  ])('shows each proforma once and in a stable order: %s', async (query, count) => {
    const client = await newShop();
    const transitions = [
      async () => undefined,
      (id: number) => client.delete(`/proforma_orders/${id}`),
      (id: number) => convert(id, client),
    ];
    for (let index = 0; index < 24; index += 1) {
      // Eight proformas have the same time, so proformas with equal times fall on different pages.
      if (index % 8 === 0) api.clock.forward({ seconds: 1 });
      const { id } = await makeProforma((index % 2) + 1, {}, client);
      await transitions[index % 3]?.(id);
    }
    const allIds = (await listProformas(`${query}&limit=1000`, client)).map(({ id }) => id);
    const pagedIds: number[] = [];
    for (let offset = 0; offset <= count; offset += 5) {
      pagedIds.push(...(await listProformas(`${query}&limit=5&offset=${offset}`, client)).map(({ id }) => id));
    }
    expect(pagedIds).toEqual(allIds);
    expect(new Set(pagedIds).size).toBe(count);
    if (!query.includes('orderBy')) expect(pagedIds).toEqual([...pagedIds].sort((a, b) => b - a));
  });

  it('shows 30 proformas by default', async () => {
    const client = await newShop();
    await Promise.all(Array.from({ length: 31 }, () => makeProforma(1, {}, client)));
    expect(await listProformas('', client)).toHaveLength(30);
    expect(await listProformas('status=draft,paid', client)).toHaveLength(30);
    expect(await listProformas('status=draft,paid&offset=30', client)).toHaveLength(1);
    expect(await listProformas('limit=99999', client)).toHaveLength(31);
  });
});

describe('GET /proforma_orders/stats', () => {
  const readStats = async (client: Client, query = '') => {
    const { status, body } = await client.get(`/proforma_orders/stats?${query}`);
    expect(status).toBe(200);
    return body.data;
  };
  const dateTimeIn = (hours: number): string =>
    new Date(api.clock.now().getTime() + hours * 3_600_000).toISOString().slice(0, 19);

  it('counts no conversions in the last 30 days of a new app', async () => {
    expect(await readStats(await api.app())).toEqual({
      open_count: 0,
      open_sum: 0,
      awaiting_payment_count: 0,
      expiring_24h_count: 0,
      paid_not_converted_count: 0,
      converted_7d_count: 0,
      conversion_rate: null,
      date_from: dateTimeIn(-30 * 24),
      date_to: dateTimeIn(0),
    });
  });

  it('counts open, awaiting, paid and converted proformas', async () => {
    expect(await readStats(shop, 'date_from=2026-11-21&date_to=2026-11-24')).toEqual({
      open_count: 5,
      open_sum: 1_100,
      awaiting_payment_count: 1,
      expiring_24h_count: 0,
      paid_not_converted_count: 2,
      converted_7d_count: 1,
      conversion_rate: 0.125,
      date_from: '2026-11-21T00:00:00',
      date_to: '2026-11-24T23:59:59',
    });
  });

  it('counts open proformas without debt, except free ones, as paid_not_converted_count', async () => {
    const client = await newShop();
    await setUp(client, 'promotions', [
      { code: 'ALL', name: 'All', kind: 'percentage', value: 100, coupon_code: 'ALL' },
    ]);
    await setUp(client, 'vouchers', [{ code: 'V', amount: 1_000 }]);
    await makeProforma(1, { coupon_codes: ['ALL'] }, client);
    await makeProforma(1, {}, client);
    expect(await readStats(client)).toMatchObject({ open_count: 2, open_sum: 100, paid_not_converted_count: 0 });
    const { id } = await makeProforma(1, { voucher_codes: ['V'] }, client);
    await confirm(id, [], client);
    expect(await readStats(client)).toMatchObject({ paid_not_converted_count: 1 });
    await convert(id, client);
    expect(await readStats(client)).toMatchObject({ paid_not_converted_count: 0 });
  });

  it('returns the converted share of proformas made in the window as conversion_rate', async () => {
    const client = await newShop();
    await setLifetime(720, client);
    const day = dateTimeIn(0).slice(0, 10);
    const [firstProforma, secondProforma] = [
      await makeProforma(1, {}, client),
      await makeProforma(1, {}, client),
      await makeProforma(1, {}, client),
    ];
    await client.delete(`/proforma_orders/${secondProforma.id}`);
    expect(await readStats(client)).toMatchObject({ conversion_rate: 0 });
    api.clock.forward({ hours: 48 });
    await convert(firstProforma.id, client);
    expect(await readStats(client)).toMatchObject({ conversion_rate: 0.3333 });
    await convert((await makeProforma(1, {}, client)).id, client);
    expect(await readStats(client)).toMatchObject({ conversion_rate: 0.5 });
    expect(await readStats(client, `date_to=${day}`)).toMatchObject({
      conversion_rate: 0.3333,
      date_to: `${day}T23:59:59`,
    });
    expect(await readStats(client, `date_from=${dateTimeIn(0)}`)).toMatchObject({
      conversion_rate: 1,
      date_from: dateTimeIn(0),
    });
    expect(await readStats(client, `date_from=${dateTimeIn(1)}&date_to=${dateTimeIn(2)}`)).toMatchObject({
      conversion_rate: null,
    });
    api.clock.forward({ hours: 29 * 24 });
    expect(await readStats(client)).toMatchObject({ conversion_rate: 1 });
  });

  it.each(['date_from=yesterday', 'date_from=2026-02-30&date_to=', 'date_to=%00'])('ignores %s', async (query) => {
    const client = await api.app();
    expect(await readStats(client, query)).toMatchObject({ date_from: dateTimeIn(-30 * 24), date_to: dateTimeIn(0) });
  });
});

describe('a list of thousands of proformas', () => {
  let app: AppContext;

  beforeAll(async () => {
    const { appId } = await api.app();
    app = (await api.container.get(TOKENS.Apps).context(appId)) as AppContext;
    await loadRows(
      api.url,
      'proforma_orders',
      `with evaluation as (
         insert into order_processings (app_id, buyer, items, fees, sales, discount, net_sales, vat, end_sales, currency,
           market_id, sales_channel_id, sales_channel, expires_at, inserted_at)
         select $1, '{}', '[]', '[]', 0, 0, 0, 0, 0, 'RSD', n, 1, 'web', $2, $2 from generate_series(1, 5000) as n
         returning id, market_id as n
       )
       insert into proforma_orders (app_id, number, status_id, order_processing_id, customer_first_name,
         customer_last_name, market_id, currency, sales_channel_id, sales_channel, fees, sales, discount, net_sales, vat,
         end_sales, original_end_sales, paid, debt, processing_date, expires_at, inserted_at, updated_at)
       select $1, 'P-2026-' || n, 1, id, 'Ana', 'Ilić' || n, 1, 'RSD', 1, 'web', '[]', n, 0, n, 0, n, n, 0, n, $2,
         $2::timestamptz + n * interval '1 minute', $2::timestamptz + n * interval '1 minute', $2::timestamptz + n * interval '1 minute'
       from evaluation`,
      [appId, api.clock.now()],
    );
  });

  it.each([
    [undefined, 'proforma_orders_newest_idx'],
    ['expires_at', 'proforma_orders_expires_idx'],
    ['updated_at', 'proforma_orders_updated_idx'],
    ['customer_name', 'proforma_orders_name_idx'],
    ['proforma_number', 'proforma_orders_number_key'],
  ])('uses an index when sorted by %s in either direction', async (field, index) => {
    for (const orderBy of [field, field && `${field} desc`]) {
      const { text, values } = proformaListStatement(app, {}, orderBy, { offset: 0, limit: 30 }, api.clock.now());
      const plan = await explainStatement(api.database, text, values);
      expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan');
    }
  });
});

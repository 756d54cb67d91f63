import type { AppContext } from '@back-office/apps';
import { orderListStatement } from '@back-office/database-postgres';
import { loadRows, explainStatement } from '@back-office/database-postgres/testing';
import { GUEST, importOrder, methodId, propose, setUp, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { parseOrderFilter } from './order-filter.js';

let api: TestApi;
let shop: Client;
/** Letter of each order by id; `a` is the oldest order. */
let letterById: Map<number, string>;
let anaId: number;
let veraId: number;
let downtownId: number;
const NEWEST_FIRST = 'bcdea';

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  await fillShop();
});
afterAll(() => api.close());

const addCustomer = async (
  external_ref: string,
  first_name: string,
  last_name: string,
  fields: object,
): Promise<number> =>
  (await shop.post('/customers', { customer: { external_ref, first_name, last_name, ...fields } })).body.data.id;

async function addLocation(code: string): Promise<number> {
  const [location] = await api.database.rows<{ id: number }>(
    `insert into app_locations (app_id, code, name, latitude, longitude, inserted_at, updated_at)
     values ($1, $2, $2, 44.8, 20.4, now(), now()) returning id`,
    [shop.appId, code],
  );
  return location!.id;
}

async function fillShop(): Promise<void> {
  await stockShop(shop, [
    { code: 'A', price: 100 },
    { code: 'B', price: 110, vat: 10 },
  ]);
  await setUp(shop, 'promotions', [{ code: 'TEN', name: 'Ten', kind: 'percentage', value: 10, coupon_code: 'TEN' }]);
  anaId = await addCustomer('ana', 'Ana', 'Kovačević', { email: 'ana.k@example.com', phone: '+381 60 100' });
  veraId = await addCustomer('vera', 'Vera', 'Anić', { email: 'vera@shop.example', phone: '062-555' });
  await addCustomer('zoe', 'Zoe', 'Kovačević', { email: 'zoe@example.com' });
  downtownId = await addLocation('DOWNTOWN');
  await addLocation('AIRPORT');
  const cashMethodId = await methodId(shop, 'cash');
  const line = (code: string, price: number) => [{ code, qty: 1, price }];
  const cashPayment = (amount: number) => [{ payment_method_id: cashMethodId, amount }];
  const orderMakers: readonly (() => Promise<{ id: number }>)[] = [
    () =>
      importOrder(shop, {
        external_ref: 'a',
        order_number: 'N-30',
        order_date: '2026-11-20T10:00:00',
        customer_external_ref: 'ana',
        app_location_code: 'DOWNTOWN',
        items: line('A', 300),
      }),
    () =>
      importOrder(shop, {
        external_ref: 'b',
        order_number: 'N-10',
        order_date: '2026-11-22',
        customer_external_ref: 'vera',
        app_location_code: 'AIRPORT',
        items: line('B', 110),
        payments: cashPayment(110),
      }),
    () =>
      importOrder(shop, {
        external_ref: 'c',
        order_number: 'N-20',
        order_date: '2026-11-21T23:59:59',
        items: line('A', 120),
        payments: cashPayment(20),
      }),
    async () => {
      const buyerFields = { guest: { ...GUEST, first_name: 'Ana', last_name: 'Anić' }, coupon_codes: ['TEN'] };
      const { id } = await propose(shop, [{ code: 'A', qty: 2 }], buyerFields);
      return (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    },
    () =>
      importOrder(shop, {
        external_ref: 'e',
        order_number: 'N-50',
        order_date: '2026-11-21',
        customer_external_ref: 'zoe',
        app_location_code: 'DOWNTOWN',
        items: line('A', 120),
      }),
  ];
  const newOrders: { id: number }[] = [];
  for (const makeOrder of orderMakers) {
    newOrders.push(await makeOrder());
    api.clock.forward({ hours: 1 });
  }
  letterById = new Map(newOrders.map(({ id }, index) => [id, 'abcde'.charAt(index)]));
  await setInvoiceNumbers(newOrders, { a: 'INV-2', c: 'INV-1', e: 'INV-3_100%' });
}

async function setInvoiceNumbers(
  newOrders: readonly { id: number }[],
  numbers: Readonly<Record<string, string>>,
): Promise<void> {
  const orders = newOrders.flatMap((order) => {
    const invoice_number = numbers[letterById.get(order.id) ?? ''];
    const { id, data_part, time_part } = order as { id: number; data_part: number; time_part: number };
    return invoice_number === undefined ? [] : [{ id, data_part, time_part, invoice_number }];
  });
  expect((await shop.put('/orders/bulk_update', { orders })).body.data.updated).toBe(3);
}

const list = async (query: string, client = shop): Promise<{ id: number; order_date: string }[]> => {
  const { status, body } = await client.get(`/orders?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listLetters = async (query: string): Promise<string> =>
  (await list(query)).map(({ id }) => letterById.get(id)).join('');
const search = (text: string): Promise<string> => listLetters(`search=${encodeURIComponent(text)}`);

const BAD_REQUEST = [400, { errors: { detail: 'Bad Request' } }];
const expectBadRequest = async (query: string): Promise<void> => {
  const { status, body } = await shop.get(`/orders?${query}`);
  expect([status, body]).toEqual(BAD_REQUEST);
};

describe('a cursor', () => {
  it('leads to the next page, up to the last one', async () => {
    const lettersOf = (orders: readonly { id: number }[]) => orders.map(({ id }) => letterById.get(id)).join('');
    const pages: string[] = [];
    let cursor = '';
    do {
      const reply = await shop.get(`/orders?limit=2&orderBy=order_date&cursor=${cursor}`);
      pages.push(lettersOf(reply.body.data));
      cursor = (reply.headers['next-cursor'] as string | undefined) ?? '';
    } while (cursor !== '');
    const allOrders = await list('orderBy=order_date');
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.join('')).toBe(lettersOf(allOrders));
  });

  it('stays short when the value of orderBy is long', async () => {
    const order = 'x'.repeat(20_000);
    const { headers } = await shop.get(`/orders?limit=2&orderBy=${order}`);
    const cursor = headers['next-cursor'] as string;
    expect(cursor.length).toBeLessThan(500);
    expect(await listLetters(`limit=2&orderBy=${order}&cursor=${cursor}`)).toBe(NEWEST_FIRST.slice(2, 4));
    expect((await shop.get(`/orders?limit=2&orderBy=${order}x&cursor=${cursor}`)).status).toBe(400);
  });

  it('is refused when it is unreadable or has another sort order', async () => {
    const { headers } = await shop.get('/orders?limit=1&orderBy=sales');
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const queries = [
      `cursor=${headers['next-cursor']}`,
      `orderBy=sales desc&cursor=${headers['next-cursor']}`,
      'cursor=%00',
      'cursor=a&cursor=b',
      `cursor=${'x'.repeat(17_000)}`,
      ...[5, [], [''], ['', 5], ['', 'a', '1'], ['', null, '1'], ['', '2026-13-40T00:00:00.000000Z', '1']].map(
        (value) => `cursor=${cursorOf(value)}`,
      ),
      ...['2026-02-30', '0000-01-01', '2026-01-01T24', '9999-99-99'].map(
        (day) => `cursor=${cursorOf(['', `${day}T00:00:00.000000Z`, '1'])}`,
      ),
      `orderBy=id&cursor=${cursorOf(['id', '9'.repeat(19), '1'])}`,
    ];
    const replies = await Promise.all(queries.map((query) => shop.get(`/orders?${query}`)));
    expect(replies.map(({ status }) => status)).toEqual(queries.map(() => 400));
  });
});

describe('GET /orders?orderBy', () => {
  it.each([
    '',
    'nothing',
    'end_sales',
    'inserted_at',
    'customer_last_name',
    'sales DESC',
    'Sales',
    'sales  desc',
    ' sales',
    'sales desc,paid',
    'sales; drop table orders',
    '(select pg_sleep(9))',
    'constructor',
    'sales&orderBy=paid',
  ])('falls back to newest first for %j', async (orderBy) => {
    expect(await listLetters(`orderBy=${orderBy}`)).toBe(NEWEST_FIRST);
  });

  it.each(['', 'sales', 'sales desc', 'invoice_number', 'customer_name', 'order_date', 'id'])(
    'shows each order once and in a stable order: %j',
    async (orderBy) => {
      const client = await api.app();
      await stockShop(client, [{ code: 'A' }]);
      for (let index = 0; index < 12; index += 1) {
        // Four orders have the same second, so orders with equal times fall on different pages.
        if (index % 4 === 0) api.clock.forward({ seconds: 1 });
        await importOrder(client, { external_ref: `${index}`, items: [{ code: 'A', qty: 1 }] });
      }
      const idsOf = async (query: string) => (await list(`orderBy=${orderBy}&${query}`, client)).map(({ id }) => id);
      const pagedIds: number[] = [];
      for (let offset = 0; offset < 15; offset += 5) pagedIds.push(...(await idsOf(`limit=5&offset=${offset}`)));
      expect(pagedIds).toEqual(await idsOf('limit=100'));
      expect(new Set(pagedIds).size).toBe(12);
    },
  );
});

describe('GET /orders?search', () => {
  it.each([
    ['an order number', 'N-30', 'a'],
    ['an invoice number', 'inv-2', 'a'],
    ['a last name in capitals', 'KOVAČEVIĆ', 'ea'],
    ['last and first name in part', 'ačević zo', 'e'],
    ['last and first name of a guest', 'anić ana', 'd'],
    ['part of an e-mail', '@shop.', 'b'],
    ['a phone', '+381601112223', 'd'],
    ['a name in Cyrillic letters, the last one first', 'Ковачевић Зо', 'e'],
    ['an order number in Cyrillic letters', 'н-30', 'a'],
  ])('finds an order by %s: %s', async (_, text, expected) => {
    expect(await search(text)).toBe(expected);
  });

  it.each([
    ['%', 'e'],
    ['_', 'e'],
    ['3_100%', 'e'],
    ['INV_', ''],
    ['INV%2', ''],
    ['N-_0', ''],
    ['\\', ''],
    ['\\%', ''],
    ["' or true --", ''],
  ])('matches special characters literally: %s finds %j', async (text, expected) => {
    expect(await search(text)).toBe(expected);
  });

  it.each([
    'Vera Kovačević',
    'Kovačević Vera',
    'Kovačević or Ana',
    'Zoe Ana',
    'external',
    'downtown',
    '\u0301',
    '62-555 Anić',
  ])('does not find %s', async (text) => {
    expect(await search(text)).toBe('');
  });

  it.each(['', '%20', '%20%09'])('ignores a blank search: "%s"', async (text) => {
    expect(await listLetters(`search=${text}`)).toBe(NEWEST_FIRST);
  });

  it.each(['search=a&search=b', 'search[]=a', 'search[x]=a', 'search=a%00'])('answers 400 for %s', expectBadRequest);

  it('finds an invoice number that was added later', async () => {
    const client = await api.app();
    await stockShop(client, [{ code: 'A' }]);
    const { id, data_part, time_part } = await importOrder(client, {
      external_ref: 'x',
      items: [{ code: 'A', qty: 1 }],
    });
    expect(await list('search=late-7', client)).toEqual([]);
    await client.put('/orders/bulk_update', { orders: [{ id, data_part, time_part, invoice_number: 'LATE-7' }] });
    expect(await list('search=late-7', client)).toMatchObject([{ id }]);
  });
});

describe('GET /orders with customerId or appLocationId', () => {
  it('finds orders by customer, by location, and by both', async () => {
    expect([await listLetters(`customerId=${anaId}`), await listLetters(`customerId=${veraId}`)]).toEqual(['a', 'b']);
    expect(await listLetters(`appLocationId=${downtownId}`)).toBe('ea');
    expect(await listLetters(`appLocationId=${downtownId}&customerId=${anaId}`)).toBe('a');
    expect(await listLetters(`appLocationId=${downtownId}&customerId=${veraId}`)).toBe('');
  });

  describe.each(['customerId', 'appLocationId'])('%s', (name) => {
    it.each(['0', '-1', '987654321', '9007199254740993', '9'.repeat(30)])(
      'finds nothing for the unknown id %s',
      async (id) => {
        expect(await listLetters(`${name}=${id}`)).toBe('');
      },
    );

    it('is ignored when empty', async () => {
      expect(await listLetters(`${name}=`)).toBe(NEWEST_FIRST);
    });

    it.each(['x', '1.5', '1e3', '%2B1', '%201', '1,2', '0x1'])('is answered 400 for %s', (id) =>
      expectBadRequest(`${name}=${id}`),
    );

    it('is answered 400 when repeated', () => expectBadRequest(`${name}=1&${name}=2`));
  });
});

describe('GET /orders with dateTimeFrom or dateTimeTo', () => {
  it.each([
    ['dateTimeFrom=2026-11-21', 'bcde'],
    ['dateTimeFrom=2026-11-21T00:00:00', 'bcde'],
    ['dateTimeFrom=2026-11-21T00:00:01', 'bcd'],
    ['dateTimeFrom=2026-11-21T23:59:59', 'bc'],
    ['dateTimeFrom=2026-11-22', 'b'],
    ['dateTimeFrom=2026-11-22T00:00:00.001', ''],
    ['dateTimeTo=2026-11-22', 'bcdea'],
    ['dateTimeTo=2026-11-21', 'ea'],
    ['dateTimeTo=2026-11-21T23:59:58', 'dea'],
    ['dateTimeTo=2026-11-21T23:59:59', 'cdea'],
    ['dateTimeTo=2026-11-20T10:00:00', 'a'],
    ['dateTimeTo=2026-11-20T10:00:00Z', 'a'],
    ['dateTimeTo=2026-11-20T12:00:00%2B02:00', 'a'],
    ['dateTimeTo=2026-11-20T09:59:59', ''],
    ['dateTimeTo=2026-11-20T10:00', 'a'],
    ['dateTimeTo=2026-11-20T12:00%2B0200', 'a'],
    ['dateTimeTo=2026-11-20T12:00+02', 'a'],
    ['dateTimeTo=2026-11-20+10:00', 'a'],
    ['dateTimeFrom=2026-11-21&dateTimeTo=2026-11-21T23:59:59', 'cde'],
    ['dateTimeFrom=2026-11-21T13:00:00&dateTimeTo=2026-11-21T13:00:00', 'd'],
    ['dateTimeFrom=2026-11-22&dateTimeTo=2026-11-21', ''],
    ['dateTimeFrom=0001-01-01&dateTimeTo=9999-12-31', NEWEST_FIRST],
    ['dateTimeFrom=&dateTimeTo=', NEWEST_FIRST],
  ])('includes both ends, and treats a date as midnight: %s finds %j', async (query, expected) => {
    expect(await listLetters(query)).toBe(expected);
  });

  it('includes the last second in full', async () => {
    const client = await api.app();
    await stockShop(client, [{ code: 'A' }]);
    const items = [{ code: 'A', qty: 1 }];
    await importOrder(client, { external_ref: 'x', order_date: '2026-11-21T10:00:00.700Z', items });
    const [row] = await list('', client);
    expect(row?.order_date).toBe('2026-11-21T10:00:00');
    const second = row?.order_date;
    expect(await list(`dateTimeFrom=${second}&dateTimeTo=${second}`, client)).toHaveLength(1);
    expect(await list(`dateTimeTo=${second}`, client)).toHaveLength(1);
    expect(await list('dateTimeTo=2026-11-21T09:59:59', client)).toEqual([]);
  });

  describe.each(['dateTimeFrom', 'dateTimeTo'])('%s', (name) => {
    it.each(['2026-13-01', '2026-02-30', 'yesterday', '22.11.2026', '2026-11-22%00', '1', '2026-11-22T24:00'])(
      'is answered 400 for %s',
      (value) => expectBadRequest(`${name}=${value}`),
    );

    it('is answered 400 when repeated', () => expectBadRequest(`${name}=2026-11-22&${name}=2026-11-22`));
  });
});

describe('GET /orders with several filters', () => {
  it.each([
    ['search=kovačević&dateTimeFrom=2026-11-21', 'e'],
    ['search=inv&orderBy=invoice_number', 'cae'],
    ['search=inv&orderBy=sales desc&limit=1&offset=1', 'e'],
    ['dateTimeTo=2026-11-21T23:59:59&orderBy=debt&limit=2', 'ce'],
  ])('combines filters: %s finds %s', async (query, expected) => {
    expect(await listLetters(query)).toBe(expected);
  });
});

describe('GET /orders of an app with 10,001 orders', () => {
  let largeApp: Client;
  let app: AppContext;

  beforeAll(async () => {
    largeApp = await api.app();
    app = (await api.container.get(TOKENS.Apps).context(largeApp.appId)) as AppContext;
    await loadRows(
      api.url,
      'orders',
      `insert into orders (app_id, data_part, time_part, order_number, order_date, invoice_number, payment_status_id,
         customer_email, customer_first_name, customer_last_name, customer_phone, market_id, currency, sales_channel_id,
         sales_channel, fees, sales, discount, net_sales, vat, end_sales, debt, inserted_at, updated_at)
       select $1, 1, 82, 'O-2026-' || n, $2::timestamptz + n * interval '1 minute', 'F-' || n * 7, 1,
         'kupac' || n || '@example.com', (array['Милица', 'Ana', 'Žarko', 'Mira'])[n % 4 + 1], 'Prezime' || n, '+3816' || n,
         1, 'RSD', 1, 'web', '[]', n, 0, n, 0, n, n, $2, $2
       from generate_series(1, 10001) as n`,
      [largeApp.appId, api.clock.now()],
    );
  });

  it('has pages of 30 by default and 10,000 at most', async () => {
    expect(await list('', largeApp)).toHaveLength(30);
    expect(await list('limit=10000', largeApp)).toHaveLength(10_000);
    expect(await list('limit=10001', largeApp)).toHaveLength(10_000);
    expect(await list('limit=10001&offset=10000', largeApp)).toHaveLength(1);
  });

  const explainPlan = (query: Readonly<Record<string, string>>, orderBy?: string): Promise<string> => {
    const page = { offset: 0, limit: 30 };
    const { text, values } = orderListStatement({ app, filter: parseOrderFilter(query), orderBy, page });
    return explainStatement(api.database, text, values);
  };

  it.each([
    ['search by number', { search: 'o-2026-4711' }, undefined, 'orders_search_idx'],
    ['search by invoice number', { search: 'F-4711' }, undefined, 'orders_search_idx'],
    ['search by e-mail', { search: 'kupac4711@' }, undefined, 'orders_search_idx'],
    ['search by first and last name', { search: 'Mira Prezime4711' }, undefined, 'orders_search_idx'],
    ['search by last and first name', { search: 'Prezime4711 Mira' }, undefined, 'orders_search_idx'],
    ['search in Cyrillic letters', { search: 'МИЛИЦА Prezime4712' }, undefined, 'orders_search_idx'],
    ['search for Cyrillic letters', { search: 'prezime4712 milica' }, undefined, 'orders_search_idx'],
    ['search without accents', { search: 'zarko prezime4713' }, undefined, 'orders_search_idx'],
    ['search by phone', { search: '+381 60/471-10' }, undefined, 'orders_search_idx'],
    ['search, sorted', { search: 'kupac4711@' }, 'sales desc', 'orders_search_idx'],
    ['a day', { dateTimeFrom: '2026-11-23', dateTimeTo: '2026-11-23T01:00:00' }, undefined, 'orders_date_idx'],
    ['changes', { updated_after: '2030-01-01' }, undefined, 'orders_updated_idx'],
    ['newest first', {}, undefined, 'orders_date_idx'],
    ['by change', {}, 'updated_at', 'orders_updated_idx'],
    ['by date', {}, 'order_date desc', 'orders_date_idx'],
    ['by number', {}, 'order_number', 'orders_order_number_key'],
    ['by name', {}, 'customer_name', 'orders_name_idx'],
    ['by name, descending', {}, 'customer_name desc', 'orders_name_idx'],
  ] as const)('uses an index: %s', async (_, query, orderBy, index) => {
    const lines = await explainPlan(query, orderBy);
    expect(lines).toContain(index);
    expect(lines).not.toContain('Seq Scan');
  });

  it('finds an order by first and last name, in either order', async () => {
    for (const text of ['Mira Prezime4711 ', 'Prezime4711 Mira', 'prezime4711']) {
      const rows = await list(`search=${encodeURIComponent(text)}`, largeApp);
      expect(rows).toMatchObject([{ order_number: 'O-2026-4711' }]);
    }
  });

  it('finds names in both alphabets, ignoring accents and case', async () => {
    for (const [text, count] of [
      ['МИЛИЦА', 2_500],
      ['žarko', 2_500],
      ['ŽARKO prezime998', 3],
      ['Prezime4712 милица', 1],
      ['милица Ana', 0],
      ['Milica', 2_500],
      ['жАРКО', 2_500],
      ['Презиме4711 Мира', 1],
      ['Zarko Prezime4710', 1],
      ['Презимe4710 Žarko', 1],
    ] as const) {
      expect(await list(`limit=10000&search=${encodeURIComponent(text)}`, largeApp)).toHaveLength(count);
    }
  });
});

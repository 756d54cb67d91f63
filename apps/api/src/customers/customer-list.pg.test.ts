import { loadRows, explainStatement } from '@back-office/database-postgres/testing';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { customerListStatement } from '@back-office/database-postgres';

let api: TestApi;
let shop: Client;
let letterById: Map<number, string>;
const SORTED_LETTERS = 'cdeba';

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  letterById = new Map();
  const customers = [
    { first_name: 'Mira', last_name: 'Marić', email: 'mira@shop.example', external_ref: 'crm-1' },
    { first_name: 'Mira', last_name: 'Anić', email: 'm.anic@example.com', phone: '+381 60 111', external_ref: 'CRM-1' },
    { first_name: 'Ana', last_name: 'Kovačević', email: 'ana@example.com', external_ref: 'crm-3' },
    { first_name: 'Ana', last_name: 'Kovačević', email: 'ana_2@example.com', phone: '062-100%' },
    { first_name: 'Милица', last_name: 'Зорић', email: 'zoric@example.com' },
  ];
  for (const [index, customer] of customers.entries()) {
    const { status, body } = await shop.post('/customers', { customer });
    expect(status).toBe(201);
    letterById.set(body.data.id, 'abcde'.charAt(index));
  }
  await api.database.rows(`update customers set external_ref = ' crm-1' where external_ref = 'crm-3'`, []);
});
afterAll(() => api.close());

const listCustomers = async (query: string, client = shop): Promise<{ id: number }[]> => {
  const { status, body } = await client.get(`/customers?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listLetters = async (query: string): Promise<string> =>
  (await listCustomers(query)).map(({ id }) => letterById.get(id)).join('');
const expectBadRequest = async (query: string): Promise<void> => {
  const { status, body } = await shop.get(`/customers?${query}`);
  expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
};

describe('GET /customers', () => {
  it('shows each customer like GET /customers/{id}', async () => {
    for (const row of await listCustomers('')) {
      const { id, data_part: data, time_part: time } = row as unknown as Record<string, number>;
      expect((await shop.get(`/customers/${id}?dataPart=${data}&timePart=${time}`)).body.data).toEqual(row);
    }
  });

  it('returns the page that offset and limit select', async () => {
    expect(await listLetters('limit=2')).toBe(SORTED_LETTERS.slice(0, 2));
    expect(await listLetters('limit=2&offset=2')).toBe(SORTED_LETTERS.slice(2, 4));
    expect(await listLetters('limit=2&offset=4')).toBe(SORTED_LETTERS.slice(4));
    expect(await listLetters('offset=5')).toBe('');
  });

  it.each(['limit=0', 'limit=x', 'limit=-1', 'offset=-1', 'offset=x', 'limit=1&limit=2'])(
    'ignores the invalid paging parameters %s',
    async (query) => {
      expect(await listLetters(query)).toBe(SORTED_LETTERS);
    },
  );
});

describe('GET /customers?search', () => {
  it.each(['', '%20'])('ignores a blank search: "%s"', async (text) => {
    expect(await listLetters(`search=${text}`)).toBe(SORTED_LETTERS);
  });

  it.each(['search=a&search=b', 'search[]=a', 'search=%00'])('refuses %s', expectBadRequest);
});

describe('GET /customers?externalRef', () => {
  it.each([
    ['crm-1', 'a'],
    ['CRM-1', 'b'],
    ['%20crm-1', 'c'],
    ['crm-1%20', ''],
    ['crm', ''],
    ['crm-_', ''],
    ['%25', ''],
    ['', SORTED_LETTERS],
  ])('matches "%s" exactly and finds %j', async (reference, expected) => {
    expect(await listLetters(`externalRef=${reference}`)).toBe(expected);
  });

  it('refuses a new customer with a reference that was stored with spaces', async () => {
    const customer = { first_name: 'X', last_name: 'Y', email: 'x@shop.example', external_ref: ' crm-1' };
    expect((await shop.post('/customers', { customer })).body).toEqual({
      errors: { external_ref: ['has already been taken'] },
    });
  });

  it('can be combined with search', async () => {
    expect([
      await listLetters('externalRef=crm-1&search=mira'),
      await listLetters('externalRef=crm-1&search=ana'),
    ]).toEqual(['a', '']);
  });

  it.each(['externalRef=a&externalRef=b', 'externalRef[x]=a', 'externalRef=%00'])('refuses %s', expectBadRequest);
});

describe('GET /customers of an app with 5,000 customers', () => {
  let largeApp: Client;

  beforeAll(async () => {
    largeApp = await api.app();
    await loadRows(
      api.url,
      'customers',
      `insert into customers (app_id, data_part, time_part, external_ref, email, first_name, last_name, phone,
         inserted_at, updated_at)
       select $1, 1, 82, 'ref-' || n, 'kupac' || n || '@example.com', (array['Ana', 'Mira', 'Жарко'])[n % 3 + 1],
         'Prezime' || n, '+3816' || n, now(), now()
       from generate_series(1, 5000) as n`,
      [largeApp.appId],
    );
  });

  it('has pages of 30 by default', async () => {
    expect(await listCustomers('', largeApp)).toHaveLength(30);
    expect(await listCustomers('limit=10000', largeApp)).toHaveLength(5_000);
  });

  const emptyFilter = { search: undefined, externalRef: undefined, updatedAfter: undefined };

  it.each([
    ['by e-mail', { search: 'kupac4711@' }, 'customers_search_idx'],
    ['by phone', { search: '+38164711' }, 'customers_search_idx'],
    ['by first and last name', { search: 'mira prezime471' }, 'customers_search_idx'],
    ['by last and first name', { search: 'prezime4711 mira' }, 'customers_search_idx'],
    ['by a Cyrillic name', { search: 'жарко prezime471' }, 'customers_search_idx'],
    ['by the same name in Latin letters', { search: 'prezime4712 žarko' }, 'customers_search_idx'],
    ['by external reference', { externalRef: 'ref-4711' }, 'customers_external_ref_key'],
    ['by change', { updatedAfter: new Date('2030-01-01T00:00:00Z') }, 'customers_updated_idx'],
    ['by name', {}, 'customers_name_idx'],
  ])('uses an index: %s', async (_, filter, index) => {
    const { text, values } = customerListStatement(
      largeApp.appId,
      { ...emptyFilter, ...filter },
      { offset: 0, limit: 30 },
    );
    const plan = await explainStatement(api.database, text, values);
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });

  it('finds a customer by text in the Latin and the Cyrillic alphabet', async () => {
    for (const text of ['Жарко Prezime4712', 'prezime4712 zarko', 'ПРЕЗИМЕ4712 žarko']) {
      expect(await listCustomers(`search=${encodeURIComponent(text)}`, largeApp)).toMatchObject([
        { external_ref: 'ref-4712' },
      ]);
    }
  });
});

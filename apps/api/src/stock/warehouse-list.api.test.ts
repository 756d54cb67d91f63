import { warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const put = async (...warehouses: readonly object[]): Promise<void> => {
  expect((await shop.put('/warehouse', { warehouses })).status).toBe(200);
};
const list = async (query = '', client = shop): Promise<{ code: string | null }[]> => {
  const { status, body } = await client.get(`/warehouses?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const codes = async (query = ''): Promise<(string | null)[]> => (await list(query)).map(({ code }) => code);
const search = (text: string) => codes(`search=${encodeURIComponent(text)}`);

describe('Paging, sorting, filtering: GET /warehouses', () => {
  it('is sorted by name, then by id', async () => {
    await put(warehouse('1', { name: 'M' }), warehouse('2', { name: 'A' }), warehouse('0', { name: 'M' }));
    expect(await codes()).toEqual(['2', '1', '0']);
  });

  it('shows a warehouse as it was added', async () => {
    const added = (await shop.post('/warehouses', { warehouse: warehouse('A', { sellable: false }) })).body.data;
    expect(await list()).toEqual([added]);
  });

  it('hides deleted warehouses and those of other apps', async () => {
    await put(warehouse('A'), warehouse('B'));
    await put({ code: 'A', delete: true });
    expect(await codes()).toEqual(['B']);
    expect(await list('', await api.app())).toEqual([]);
  });

  it('has pages of 30 by default and for unusable values', async () => {
    const all = Array.from({ length: 35 }, (_, index) => `W${String(index).padStart(2, '0')}`);
    await put(...all.map((code) => warehouse(code)));
    expect(await codes()).toEqual(all.slice(0, 30));
    expect(await codes('offset=30')).toEqual(all.slice(30));
    expect(await codes('offset=5&limit=10')).toEqual(all.slice(5, 15));
    expect(await codes('limit=10001')).toEqual(all);
    for (const page of ['limit=0', 'limit=x', 'offset=-1', 'limit=']) {
      expect(await codes(page)).toEqual(all.slice(0, 30));
    }
  });
});

describe('Paging, sorting, filtering: GET /warehouses, search', () => {
  beforeEach(() =>
    put(
      warehouse('BG-1', { name: 'Central', address_line_1: 'Bulevar 12', city: 'Beograd', postcode: '11000' }),
      warehouse('NS_2', { name: 'North 100%', address_line_1: 'Put \\ 3', city: 'Novi Sad', postcode: '21000' }),
      warehouse('NI-3', { name: 'Юг', address_line_1: 'Šumadijska', city: 'Niš', postcode: '18000' }),
      warehouse('x', { code: null, name: 'Unnamed', city: 'Kragujevac', postcode: '34000' }),
    ),
  );

  it.each([
    ['the name', 'Central', ['BG-1']],
    ['part of the name', 'entr', ['BG-1']],
    ['the code', 'NI-3', ['NI-3']],
    ['the address', 'bulevar', ['BG-1']],
    ['the city', 'NOVI SAD', ['NS_2']],
    ['the postcode', '180', ['NI-3']],
    ['an accented letter in another case', 'šUMA', ['NI-3']],
    ['Cyrillic in another case', 'ЮГ', ['NI-3']],
    ['a warehouse without a code', 'unnamed', [null]],
    ['several warehouses', '000', ['BG-1', 'NS_2', null, 'NI-3']],
  ])('finds %s', async (_, text, expected) => {
    expect(await search(text)).toEqual(expected);
  });

  it.each([
    ['%', ['NS_2']],
    ['100%', ['NS_2']],
    ['_', ['NS_2']],
    ['S_2', ['NS_2']],
    ['\\', ['NS_2']],
    ['G_1', []],
    ['C%l', []],
    ["' or true --", []],
  ])('matches %s literally', async (text, expected) => {
    expect(await search(text)).toEqual(expected);
  });

  it('ignores spaces around the text, not inside', async () => {
    expect(await search('  Novi Sad \t')).toEqual(['NS_2']);
    expect(await search('Novi  Sad')).toEqual([]);
    expect(await search(' ')).toHaveLength(4);
    expect(await search('')).toHaveLength(4);
  });

  it('does not match across fields', async () => {
    expect(await search('Beograd 11000')).toEqual([]);
    expect(await search('Beograd11000')).toEqual([]);
  });

  it.each(['search=a&search=b', 'search[]=a', 'search=%00'])('is answered 400 for %s', async (query) => {
    const { status, body } = await shop.get(`/warehouses?${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('POST /warehouses', () => {
  const add = (fields: object, client = shop): Promise<Reply> => client.post('/warehouses', { warehouse: fields });

  it('adds a warehouse', async () => {
    const { status, body } = await add(warehouse('A'));
    expect(status).toBe(201);
    expect(body.data).toEqual({
      ...warehouse('A'),
      id: expect.any(Number),
      sellable: true,
      inserted_at: api.clock.now().toISOString().slice(0, 19),
      updated_at: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('adds one that does not sell, ignoring unknown fields', async () => {
    const more = { sellable: false, id: 1, app_id: 1, deleted_at: '2026-01-01', inserted_at: '2001-01-01' };
    expect((await add(warehouse('A', more))).body.data).toMatchObject({ code: 'A', sellable: false });
    expect(await list()).toMatchObject([{ inserted_at: api.clock.now().toISOString().slice(0, 19) }]);
  });

  it.each([[undefined], [null], [''], ['  ']])('adds any number of warehouses without a code: %j', async (code) => {
    for (const _ of [1, 2]) expect((await add(warehouse('x', { code }))).body.data).toMatchObject({ code: null });
  });

  it('Validation errors: returns a key for each failing field', async () => {
    const { status, body } = await add({ code: 'A', name: 'Name' });
    expect([status, body]).toEqual([
      422,
      {
        errors: {
          address_line_1: ["can't be blank"],
          city: ["can't be blank"],
          market_id: ["can't be blank"],
          postcode: ["can't be blank"],
        },
      },
    ]);
    expect(await list()).toEqual([]);
  });

  it.each([
    ['nothing', {}, blank(['name', 'address_line_1', 'city', 'postcode', 'market_id'])],
    [
      'blanks and nulls',
      warehouse('A', { name: ' \t', city: '', postcode: null }),
      blank(['name', 'city', 'postcode']),
    ],
    [
      'texts that are too long',
      warehouse('x'.repeat(256), { name: 'č'.repeat(256) }),
      { code: ['is too long'], name: ['is too long'] },
    ],
    [
      'NUL and half of a surrogate pair',
      warehouse('a\0', { name: 'A', city: '\ud800' }),
      { code: ['is invalid'], city: ['is invalid'] },
    ],
    ['market 0', warehouse('A', { market_id: 0 }), { market_id: ['must be greater than 0'] }],
    ['a market beyond all', warehouse('A', { market_id: 2 ** 31 }), { market_id: ['is invalid'] }],
  ])('refuses %s with every failing field', async (_, fields, errors) => {
    const { status, body } = await add(fields);
    expect([status, body]).toEqual([422, { errors }]);
    expect(await list()).toEqual([]);
  });

  it.each([
    ['name', 5],
    ['code', 5],
    ['postcode', 11_000],
    ['market_id', '1'],
    ['market_id', 1.5],
    ['sellable', 'true'],
    ['city', ['Niš']],
  ])('answers 400 for a %s of the wrong type: %j', async (field, value) => {
    const { status, body } = await add(warehouse('A', { [field]: value }));
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('refuses a taken code, but not of another app or a deleted warehouse', async () => {
    await add(warehouse('A'));
    const { status, body } = await add(warehouse('A'));
    expect([status, body]).toEqual([422, { errors: { code: ['has already been taken'] } }]);
    expect((await add(warehouse('A'), await api.app())).status).toBe(201);
    for (const code of ['a', ' A', 'A ']) expect((await add(warehouse(code))).status).toBe(201);
    await put({ code: 'A', delete: true });
    expect((await add(warehouse('A'))).status).toBe(201);
  });

  it('gives a code to one of twenty concurrent calls', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(warehouse('A'))));
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 422)]);
    expect(await codes()).toEqual(['A']);
  });

  it('makes one warehouse of a code with a concurrent PUT /warehouse', async () => {
    const both = async (code: string): Promise<number[]> => {
      const calls = Array.from({ length: 4 }, () => [
        add(warehouse(code)),
        shop.put('/warehouse', { warehouses: [warehouse(code)] }),
      ]);
      return (await Promise.all(calls.flat())).map(({ status }) => status);
    };
    for (const code of ['A', 'B', 'C', 'D', 'E']) {
      expect((await both(code)).filter((status) => ![200, 201, 422].includes(status))).toEqual([]);
    }
    expect(await codes()).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('adds one warehouse per Idempotency-Key, and repeats a refusal', async () => {
    const keyed = shop.keyed('one');
    const [first, again] = [await add(warehouse('A'), keyed), await add(warehouse('A'), keyed)];
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = shop.keyed('two');
    for (const _ of [1, 2]) expect((await add(warehouse('A'), other)).status).toBe(422);
    expect(await codes()).toEqual(['A']);
  });
});

function blank(fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, ["can't be blank"]]));
}

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

const putWarehouses = async (...warehouses: readonly object[]): Promise<void> => {
  expect((await shop.put('/warehouse', { warehouses })).status).toBe(200);
};
const listWarehouses = async (query = '', client = shop): Promise<{ code: string | null }[]> => {
  const { status, body } = await client.get(`/warehouses?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listCodes = async (query = ''): Promise<(string | null)[]> =>
  (await listWarehouses(query)).map(({ code }) => code);
const search = (text: string) => listCodes(`search=${encodeURIComponent(text)}`);

describe('GET /warehouses/{id}', () => {
  it('shows a warehouse as it was added, and reports other, deleted and foreign ones as missing', async () => {
    const added = (await shop.post('/warehouses', { warehouse: warehouse('A', { sellable: false }) })).body.data;
    const reply = await shop.get(`/warehouses/${added.id}`);
    expect([reply.status, reply.body]).toEqual([200, { data: added }]);
    expect((await shop.get('/warehouses/987654321')).status).toBe(404);
    expect((await (await api.app()).get(`/warehouses/${added.id}`)).status).toBe(404);
    await putWarehouses({ code: 'A', delete: true });
    expect((await shop.get(`/warehouses/${added.id}`)).status).toBe(404);
  });
});

describe('GET /warehouses', () => {
  it('shows a warehouse as it was added', async () => {
    const added = (await shop.post('/warehouses', { warehouse: warehouse('A', { sellable: false }) })).body.data;
    expect(await listWarehouses()).toEqual([added]);
  });

  it('hides deleted warehouses and those of other apps', async () => {
    await putWarehouses(warehouse('A'), warehouse('B'));
    await putWarehouses({ code: 'A', delete: true });
    expect(await listCodes()).toEqual(['B']);
    expect(await listWarehouses('', await api.app())).toEqual([]);
  });

  it('has pages of 30 by default and for invalid paging parameters', async () => {
    const allCodes = Array.from({ length: 35 }, (_, index) => `W${String(index).padStart(2, '0')}`);
    await putWarehouses(...allCodes.map((code) => warehouse(code)));
    expect(await listCodes()).toEqual(allCodes.slice(0, 30));
    expect(await listCodes('offset=30')).toEqual(allCodes.slice(30));
    expect(await listCodes('offset=5&limit=10')).toEqual(allCodes.slice(5, 15));
    expect(await listCodes('limit=10001')).toEqual(allCodes);
    for (const page of ['limit=0', 'limit=x', 'offset=-1', 'limit=']) {
      expect(await listCodes(page)).toEqual(allCodes.slice(0, 30));
    }
  });

  it('continues with the cursor of the page before', async () => {
    await putWarehouses(warehouse('A'), warehouse('B'), warehouse('C'));
    const { headers } = await shop.get('/warehouses?limit=2');
    await putWarehouses({ code: 'A', delete: true });
    expect(await listCodes(`limit=2&cursor=${headers['next-cursor']}`)).toEqual(['C']);
    expect((await shop.get('/warehouses?limit=3')).headers).not.toHaveProperty('next-cursor');
    for (const cursor of ['x', 'WyIiLCIxIl0'])
      expect((await shop.get(`/warehouses?cursor=${cursor}`)).status).toBe(400);
  });
});

describe('GET /warehouses?search', () => {
  beforeEach(() =>
    putWarehouses(
      warehouse('BG-1', { name: 'Central', address_line_1: 'Bulevar 12', city: 'Beograd', postcode: '11000' }),
      warehouse('NS_2', { name: 'North 100%', address_line_1: 'Put \\ 3', city: 'Novi Sad', postcode: '21000' }),
      warehouse('NI-3', { name: 'Юг', address_line_1: 'Šumadijska', city: 'Niš', postcode: '18000' }),
      warehouse('x', { code: null, name: 'Unnamed', city: 'Kragujevac', postcode: '34000' }),
    ),
  );

  it('ignores spaces around the search text, and repeated ones inside it', async () => {
    expect(await search('  Novi Sad \t')).toEqual(['NS_2']);
    expect(await search('Novi  Sad')).toEqual(['NS_2']);
    expect(await search(' ')).toHaveLength(4);
    expect(await search('')).toHaveLength(4);
  });

  it('does not match text across two fields', async () => {
    expect(await search('Beograd 11000')).toEqual([]);
    expect(await search('Beograd11000')).toEqual([]);
  });

  it.each(['search=a&search=b', 'search[]=a', 'search=%00'])('is answered 400 for %s', async (query) => {
    const { status, body } = await shop.get(`/warehouses?${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('POST /warehouses', () => {
  const addWarehouse = (fields: object, client = shop): Promise<Reply> =>
    client.post('/warehouses', { warehouse: fields });

  it('adds a warehouse', async () => {
    const { status, body } = await addWarehouse(warehouse('A'));
    expect(status).toBe(201);
    expect(body.data).toEqual({
      ...warehouse('A'),
      id: expect.any(Number),
      sellable: true,
      inserted_at: api.clock.now().toISOString().slice(0, 19),
      updated_at: api.clock.now().toISOString().slice(0, 19),
    });
  });

  it('adds a warehouse that does not sell, and ignores unknown fields', async () => {
    const fields = { sellable: false, id: 1, app_id: 1, deleted_at: '2026-01-01', inserted_at: '2001-01-01' };
    expect((await addWarehouse(warehouse('A', fields))).body.data).toMatchObject({ code: 'A', sellable: false });
    expect(await listWarehouses()).toMatchObject([{ inserted_at: api.clock.now().toISOString().slice(0, 19) }]);
  });

  it.each([[undefined], [null], [''], ['  ']])('adds any number of warehouses without a code: %j', async (code) => {
    for (const _ of [1, 2])
      expect((await addWarehouse(warehouse('x', { code }))).body.data).toMatchObject({ code: null });
  });

  it('returns a message key for each invalid field', async () => {
    const { status, body } = await addWarehouse({ code: 'A', name: 'Name' });
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
    expect(await listWarehouses()).toEqual([]);
  });

  it.each([
    ['nothing', {}, blankErrors(['name', 'address_line_1', 'city', 'postcode', 'market_id'])],
    [
      'blanks and nulls',
      warehouse('A', { name: ' \t', city: '', postcode: null }),
      blankErrors(['name', 'city', 'postcode']),
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
    ['a market_id out of range', warehouse('A', { market_id: 2 ** 31 }), { market_id: ['is invalid'] }],
  ])('refuses %s, and reports every invalid field', async (_, fields, errors) => {
    const { status, body } = await addWarehouse(fields);
    expect([status, body]).toEqual([422, { errors }]);
    expect(await listWarehouses()).toEqual([]);
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
    const { status, body } = await addWarehouse(warehouse('A', { [field]: value }));
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('refuses a taken code unless only another app or a deleted warehouse has it', async () => {
    await addWarehouse(warehouse('A'));
    const { status, body } = await addWarehouse(warehouse('A'));
    expect([status, body]).toEqual([422, { errors: { code: ['has already been taken'] } }]);
    expect((await addWarehouse(warehouse('A'), await api.app())).status).toBe(201);
    for (const code of ['a', ' A', 'A ']) expect((await addWarehouse(warehouse(code))).status).toBe(201);
    await putWarehouses({ code: 'A', delete: true });
    expect((await addWarehouse(warehouse('A'))).status).toBe(201);
  });

  it('creates one warehouse per code while PUT /warehouse calls run concurrently', async () => {
    const addAndPut = async (code: string): Promise<number[]> => {
      const calls = Array.from({ length: 4 }, () => [
        addWarehouse(warehouse(code)),
        shop.put('/warehouse', { warehouses: [warehouse(code)] }),
      ]);
      return (await Promise.all(calls.flat())).map(({ status }) => status);
    };
    for (const code of ['A', 'B', 'C', 'D', 'E']) {
      expect((await addAndPut(code)).filter((status) => ![200, 201, 422].includes(status))).toEqual([]);
    }
    expect(await listCodes()).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('adds one warehouse per Idempotency-Key, and repeats a refusal', async () => {
    const keyedShop = shop.keyed('one');
    const [firstReply, repeatedReply] = [
      await addWarehouse(warehouse('A'), keyedShop),
      await addWarehouse(warehouse('A'), keyedShop),
    ];
    expect([repeatedReply.status, repeatedReply.body]).toEqual([201, firstReply.body]);
    const otherKeyedShop = shop.keyed('two');
    for (const _ of [1, 2]) expect((await addWarehouse(warehouse('A'), otherKeyedShop)).status).toBe(422);
    expect(await listCodes()).toEqual(['A']);
  });
});

function blankErrors(fields: readonly string[]) {
  return Object.fromEntries(fields.map((field) => [field, ["can't be blank"]]));
}

import { newCustomer } from '../testing/shop.js';
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

const postCard = (card: object, client = shop): Promise<Reply> => client.post('/int/cards', { card });
const upsertCard = async (card: object, client = shop) => {
  const { status, body } = await postCard(card, client);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};
const readCards = () =>
  api.database.rows<{ barcode: string; updated_at: Date }>(
    'select barcode, external_ref, customer_id, updated_at from cards where app_id = $1 order by id',
    [shop.appId],
  );
const postRefused = async (card: object): Promise<unknown> => {
  const cardsBefore = await readCards();
  const { status, body } = await postCard(card);
  expect(await readCards()).toEqual(cardsBefore);
  return [status, body];
};

describe('POST /int/cards', () => {
  it('adds a card with a three-part id', async () => {
    const card = await upsertCard({ barcode: '860-1' });
    expect(card).toEqual({
      id: expect.any(Number),
      data_part: expect.any(Number),
      time_part: 82,
      barcode: '860-1',
      external_ref: null,
      customer_id: null,
      created: true,
    });
    expect(card.data_part).toBeGreaterThanOrEqual(1);
    expect(card.data_part).toBeLessThanOrEqual(64);
  });

  it('returns 201 for an existing card and keeps its id and parts', async () => {
    const card = await upsertCard({ barcode: '860-1', external_ref: 'ref' });
    api.clock.forward({ hours: 24 * 60 });
    expect(await upsertCard({ barcode: '860-1' })).toEqual({ ...card, created: false });
    expect(await upsertCard({ barcode: '860-1', external_ref: null, customer_id: null })).toEqual({
      ...card,
      created: false,
    });
    expect(await upsertCard({ barcode: '860-1', external_ref: ' ', customer_external_ref: '' })).toEqual({
      ...card,
      created: false,
    });
    expect(await readCards()).toMatchObject([{ updated_at: api.clock.now() }]);
    api.clock.forward({ hours: -24 * 60 });
  });

  it('changes the sent fields of an existing card', async () => {
    const { id } = await upsertCard({ barcode: '860-1' });
    const customer = await newCustomer(shop, 'mira@example.com');
    expect(await upsertCard({ barcode: '860-1', external_ref: 'ref', ...customer })).toMatchObject({
      id,
      external_ref: 'ref',
      customer_id: customer.customer_id,
      created: false,
    });
    expect(await upsertCard({ barcode: '860-2', external_ref: 'ref' })).toMatchObject({
      id,
      barcode: '860-2',
      customer_id: customer.customer_id,
    });
    expect(await readCards()).toHaveLength(1);
  });

  it('ignores unknown fields', async () => {
    const { id } = await upsertCard({ barcode: '860-1' });
    const card = await upsertCard({ barcode: '860-2', id, app_id: 1, created: false, data_part: 99, time_part: 1 });
    expect(card.id).not.toBe(id);
    expect(card).toMatchObject({ created: true, time_part: 82 });
    expect(card.data_part).toBeLessThanOrEqual(64);
  });

  it('replays the first answer for an Idempotency-Key', async () => {
    const keyedShop = shop.keyed('one');
    const firstCard = await upsertCard({ barcode: '860-1' }, keyedShop);
    expect([firstCard.created, await upsertCard({ barcode: '860-1' }, keyedShop)]).toEqual([true, firstCard]);
  });
});

describe('card matching by POST /int/cards', () => {
  let firstId: number;
  let secondId: number;

  beforeEach(async () => {
    firstId = (await upsertCard({ barcode: 'B1', external_ref: 'R1' })).id;
    secondId = (await upsertCard({ barcode: 'B2', external_ref: 'R2' })).id;
  });

  it.each([
    ['the barcode', { barcode: 'B1' }, () => firstId],
    ['the barcode, despite an unknown reference', { barcode: 'B1', external_ref: 'R9' }, () => firstId],
    ['the reference when the barcode finds none', { barcode: 'B9', external_ref: 'R2' }, () => secondId],
  ])('finds a card by %s', async (_, card, id) => {
    expect(await upsertCard(card)).toMatchObject({ id: id(), created: false });
    expect(await readCards()).toHaveLength(2);
  });

  it.each([
    ['in another case', { barcode: 'b1', external_ref: 'r1' }],
    ['that are exchanged', { barcode: 'R1', external_ref: 'B1' }],
  ])('adds another card for the same identifiers %s', async (_, card) => {
    expect(await upsertCard(card)).toMatchObject({ ...card, created: true });
    expect(await upsertCard(card)).toMatchObject({ ...card, created: false });
    expect(await readCards()).toHaveLength(3);
  });

  it('finds a card that was stored with spaces only as sent, and keeps the spaces', async () => {
    await api.database.rows(
      `update cards set barcode = ' B1 ', external_ref = 'R1 ' where app_id = $1 and barcode = 'B1'`,
      [shop.appId],
    );
    expect(await upsertCard({ barcode: ' B1 ' })).toMatchObject({
      barcode: ' B1 ',
      external_ref: 'R1 ',
      created: false,
    });
    expect(await upsertCard({ barcode: ' B3 ', external_ref: 'R1 ' })).toMatchObject({
      barcode: 'B3',
      external_ref: 'R1 ',
    });
    expect(await upsertCard({ barcode: 'B1' })).toMatchObject({ created: true });
    expect((await readCards()).map(({ barcode }) => barcode)).toEqual(['B3', 'B2', 'B1']);
  });

  it('refuses a row whose barcode and reference identify different cards', async () => {
    expect(await postRefused({ barcode: 'B1', external_ref: 'R2' })).toEqual([
      422,
      { errors: { external_ref: ['has already been taken'] } },
    ]);
  });
});

describe('the customer in POST /int/cards', () => {
  const ANA_FIELDS = { email: 'ana@example.com', first_name: 'Ana', last_name: 'K', external_ref: 'crm-1' };
  let ana: { id: number; data_part: number; time_part: number };

  beforeEach(async () => {
    ana = (await shop.post('/customers', { customer: ANA_FIELDS })).body.data;
  });

  it.each([
    ['three parts', () => ({ customer_id: ana.id, data_part: ana.data_part, time_part: ana.time_part })],
    ['an external reference', () => ({ customer_external_ref: 'crm-1' })],
  ])('is found by %s', async (_, identify) => {
    expect(await upsertCard({ barcode: '860-1', ...identify() })).toMatchObject({ customer_id: ana.id });
  });

  it.each([
    ['another reference', () => ({ customer_external_ref: 'CRM-1' })],
    [
      'another dataPart',
      () => ({ customer_id: ana.id, data_part: (ana.data_part % 64) + 1, time_part: ana.time_part }),
    ],
    ['another timePart', () => ({ customer_id: ana.id, data_part: ana.data_part, time_part: ana.time_part + 1 })],
    ['the largest id', () => ({ customer_id: Number.MAX_SAFE_INTEGER, data_part: 1, time_part: 1 })],
  ])('is not found by %s (API.Customers.NotFound), and the call writes nothing', async (_, identify) => {
    await upsertCard({ barcode: '860-1' });
    for (const barcode of ['860-1', '860-2']) {
      expect(await postRefused({ barcode, external_ref: 'x', ...identify() })).toEqual([
        422,
        { errors: { Customers: ['API.Customers.NotFound'] } },
      ]);
    }
  });
});

describe('POST /int/cards with invalid fields', () => {
  const longText = 'x'.repeat(256);
  it.each([
    ['an empty card', {}, { barcode: ["can't be blank"] }],
    ['only a reference', { external_ref: 'x' }, { barcode: ["can't be blank"] }],
    ['a blank barcode', { barcode: ' ' }, { barcode: ["can't be blank"] }],
    [
      'long texts',
      { barcode: longText, external_ref: longText },
      { barcode: ['is too long'], external_ref: ['is too long'] },
    ],
    [
      'invalid texts',
      { barcode: 'a\0', external_ref: '\ud800' },
      { barcode: ['is invalid'], external_ref: ['is invalid'] },
    ],
    ['an id without parts', { barcode: 'x', customer_id: 1 }, { data_part: ["can't be blank"] }],
    ['an id without its timePart', { barcode: 'x', customer_id: 1, data_part: 1 }, { time_part: ["can't be blank"] }],
  ])('reports every invalid field of %s', async (_, card, errors) => {
    expect(await postRefused(card)).toEqual([422, { errors }]);
  });

  it.each([
    ['barcode', 5],
    ['external_ref', ['x']],
    ['customer_id', '1'],
    ['data_part', 1.5],
    ['customer_external_ref', {}],
  ])('refuses a %s of the wrong type: %j', async (field, value) => {
    expect(await postRefused({ barcode: 'x', [field]: value })).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('concurrent calls of POST /int/cards', () => {
  const upsertTwentyCards = (cardOf: (index: number) => object) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => upsertCard(cardOf(index))));

  it.each([
    ['one barcode', () => ({ barcode: 'B' })],
    ['one reference', (index: number) => ({ barcode: `B${index}`, external_ref: 'R' })],
    ['one barcode and one reference', () => ({ barcode: 'B', external_ref: 'R' })],
  ])('add a single card for %s', async (_, cardOf) => {
    const cards = await upsertTwentyCards(cardOf);
    expect(new Set(cards.map(({ id }) => id)).size).toBe(1);
    expect(cards.filter(({ created }) => created)).toHaveLength(1);
    expect(await readCards()).toHaveLength(1);
  });

  it('give each contested reference to only one card', async () => {
    await upsertTwentyCards((index) => ({ barcode: `B${index % 4}`, external_ref: `R${index % 4}` }));
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => postCard({ barcode: `B${index % 4}`, external_ref: `R${index % 7}` })),
    );
    expect(statuses.filter(({ status }) => status !== 201 && status !== 422)).toEqual([]);
    const rows = (await readCards()) as { barcode: string; external_ref?: string }[];
    expect(new Set(rows.map(({ external_ref: reference }) => reference)).size).toBe(rows.length);
  });
});

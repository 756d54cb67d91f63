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

const ANA = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kovačević' };
const add = (customer: object, client = shop): Promise<Reply> => client.post('/customers', { customer });
const partsOf = ({ data_part: data, time_part: time }: Record<'data_part' | 'time_part', number | string>) =>
  `dataPart=${data}&timePart=${time}`;

describe('POST /customers', () => {
  it('adds a customer with its three-part id', async () => {
    const { status, body } = await add(ANA);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      ...ANA,
      id: expect.any(Number),
      data_part: expect.any(Number),
      // Months since January 2020; the test clock starts in November 2026.
      time_part: 82,
      external_ref: null,
      phone: null,
      viber_subscribed: false,
      preferred_notification_channel_id: null,
      loyalty_points: 0,
      inserted_at: api.clock.now().toISOString().slice(0, 19),
      updated_at: api.clock.now().toISOString().slice(0, 19),
    });
    expect(body.data.data_part).toBeGreaterThanOrEqual(1);
    expect(body.data.data_part).toBeLessThanOrEqual(64);
  });

  it('stores every sent field', async () => {
    const fields = {
      ...ANA,
      external_ref: 'crm-7',
      phone: '+381 60 111',
      viber_subscribed: true,
      preferred_notification_channel_id: 4,
    };
    expect((await add(fields)).body.data).toMatchObject(fields);
  });

  it.each([
    ['null', { external_ref: null, phone: null, viber_subscribed: null, preferred_notification_channel_id: null }],
    ['an empty reference', { external_ref: '' }],
    ['a blank reference', { external_ref: '  ' }],
  ])('treats %s as absent', async (_, fields) => {
    for (const email of ['one@example.com', 'two@example.com']) {
      expect((await add({ ...ANA, ...fields, email })).body.data).toMatchObject({
        external_ref: null,
        phone: null,
        viber_subscribed: false,
        preferred_notification_channel_id: null,
      });
    }
  });

  const longText = 'č'.repeat(256);
  it.each([
    [
      'without fields',
      {},
      { email: ["can't be blank"], first_name: ["can't be blank"], last_name: ["can't be blank"] },
    ],
    [
      'with nulls',
      { email: null, first_name: null, last_name: 'B' },
      { email: ["can't be blank"], first_name: ["can't be blank"] },
    ],
    [
      'with blanks',
      { ...ANA, email: ' ', first_name: '\t\n', last_name: '\u00a0' },
      { email: ["can't be blank"], first_name: ["can't be blank"], last_name: ["can't be blank"] },
    ],
    ['with an invalid e-mail', { ...ANA, email: 'ana' }, { email: ['is invalid'] }],
    ['with an e-mail without a host', { ...ANA, email: 'ana@' }, { email: ['is invalid'] }],
    ['with spaces around the e-mail', { ...ANA, email: ' ana@example.com' }, { email: ['is invalid'] }],
    ['with two e-mails', { ...ANA, email: 'a@b.rs,c@d.rs e@f.rs' }, { email: ['is invalid'] }],
    [
      'with long texts',
      {
        ...ANA,
        email: `${longText}@b.rs`,
        first_name: longText,
        last_name: longText,
        phone: longText,
        external_ref: longText,
      },
      {
        email: ['is too long'],
        first_name: ['is too long'],
        last_name: ['is too long'],
        phone: ['is too long'],
        external_ref: ['is too long'],
      },
    ],
    ['with NUL', { ...ANA, first_name: 'A\0', phone: '\0' }, { first_name: ['is invalid'], phone: ['is invalid'] }],
    ['with a lone surrogate', { ...ANA, last_name: '\ud800' }, { last_name: ['is invalid'] }],
    [
      'with an unknown channel',
      { ...ANA, preferred_notification_channel_id: 5 },
      { preferred_notification_channel_id: ['is invalid'] },
    ],
    [
      'with channel 0',
      { ...ANA, preferred_notification_channel_id: 0 },
      { preferred_notification_channel_id: ['must be greater than 0'] },
    ],
  ])('reports every invalid field of a customer %s', async (_, customer, errors) => {
    const reply = await add(customer);
    expect([reply.status, reply.body]).toEqual([422, { errors }]);
    expect((await add(ANA)).status).toBe(201);
  });

  it('accepts texts of 255 characters, however many bytes they have', async () => {
    const name = '😀'.repeat(255);
    expect((await add({ ...ANA, first_name: name })).body.data.first_name).toBe(name);
  });

  it.each([
    ['email', 5],
    ['first_name', ['Ana']],
    ['phone', 381],
    ['viber_subscribed', 'true'],
    ['viber_subscribed', 1],
    ['preferred_notification_channel_id', '1'],
    ['preferred_notification_channel_id', 1.5],
    ['external_ref', {}],
  ])('refuses a %s of the wrong type: %j', async (field, value) => {
    const reply = await add({ ...ANA, [field]: value });
    expect([reply.status, reply.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it.each([
    ['e-mail', { email: 'ana@example.com' }, { email: ['has already been taken'] }],
    ['e-mail in another case', { email: 'ANA@Example.com' }, { email: ['has already been taken'] }],
    [
      'external reference',
      { external_ref: 'crm-1', email: 'b@example.com' },
      { external_ref: ['has already been taken'] },
    ],
    [
      'e-mail and external reference',
      { external_ref: 'crm-1' },
      { email: ['has already been taken'], external_ref: ['has already been taken'] },
    ],
  ])('refuses a taken %s, except in another app', async (_, fields, errors) => {
    await add({ ...ANA, external_ref: 'crm-1' });
    const reply = await add({ ...ANA, ...fields });
    expect([reply.status, reply.body]).toEqual([422, { errors }]);
    expect((await add({ ...ANA, ...fields }, await api.app())).status).toBe(201);
  });

  it('reports every taken field, even when different customers have these values', async () => {
    await add({ ...ANA, external_ref: 'crm-1' });
    await add({ ...ANA, email: 'b@example.com', external_ref: 'crm-2' });
    const { status, body } = await add({ ...ANA, external_ref: 'crm-2' });
    const takenErrors = ['has already been taken'];
    expect([status, body]).toEqual([422, { errors: { email: takenErrors, external_ref: takenErrors } }]);
  });

  it('distinguishes references by case and inner spaces', async () => {
    for (const [index, external_ref] of ['crm', 'CRM', 'c rm'].entries()) {
      expect((await add({ ...ANA, email: `c${index}@example.com`, external_ref })).status).toBe(201);
    }
  });
});

describe('GET /customers/{id}', () => {
  it('returns the customer as added', async () => {
    const { data } = (await add({ ...ANA, external_ref: 'x' })).body;
    expect((await shop.get(`/customers/${data.id}?${partsOf(data)}`)).body).toEqual({ data });
  });

  it.each([
    ['another dataPart', (parts: Parts) => ({ ...parts, data_part: (parts.data_part % 64) + 1 })],
    ['another timePart', (parts: Parts) => ({ ...parts, time_part: parts.time_part + 1 })],
    ['a negative part', (parts: Parts) => ({ ...parts, data_part: -1 })],
    ['a part beyond 15 bits', (parts: Parts) => ({ ...parts, data_part: 2 ** 15 })],
    ['a part beyond 31 bits', (parts: Parts) => ({ ...parts, time_part: 2 ** 31 })],
    ['a part beyond 53 bits', (parts: Parts) => ({ data_part: '9'.repeat(25), time_part: parts.time_part })],
  ])('returns 404 for %s', async (_, changeParts) => {
    const { data } = (await add(ANA)).body;
    const reply = await shop.get(`/customers/${data.id}?${partsOf(changeParts(data))}`);
    expect([reply.status, reply.text]).toEqual([404, '']);
  });

  it.each([
    '',
    'dataPart=1',
    'timePart=82',
    'dataPart=&timePart=82',
    'dataPart=a&timePart=82',
    'dataPart=1.5&timePart=82',
  ])('refuses the query "%s"', async (query) => {
    const { data } = (await add(ANA)).body;
    const reply = await shop.get(`/customers/${data.id}?${query}`);
    expect([reply.status, reply.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

interface Parts {
  readonly data_part: number;
  readonly time_part: number;
}

import { newCustomer, startSession } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let mira: object;
let phone: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  mira = await newCustomer(shop, 'mira@example.com');
  phone = await signIn(mira, 'phone');
});

const signIn = async (customer: object, uuid: string, device: object = {}, client = shop): Promise<Client> =>
  api.withOrigins({ ...client, token: await startSession(client, { ...customer, device: { uuid, ...device } }) }, [
    api.origin,
  ]);
const putDevice = (messaging_token: string, client = phone, fields: object = {}): Promise<Reply> =>
  client.put('/notification_device', {
    notification_device: { messaging_token, notification_channel_id: 3, ...fields },
  });
// eslint-disable-next-line typescript/no-explicit-any
const register = async (...args: Parameters<typeof putDevice>): Promise<any> => {
  const { status, body } = await putDevice(...args);
  expect([status, Object.keys(body)]).toEqual([200, ['data']]);
  return body.data;
};
const readDevices = (client = shop) =>
  api.database.rows<{ id: number; customer_id: number; uuid: string; messaging_token: string }>(
    `select id, customer_id, uuid, messaging_token from notification_devices where app_id = $1 order by id`,
    [client.appId],
  );
const tokensOf = async (customer: object) =>
  (await readDevices())
    .filter(({ customer_id: id }) => id === (customer as { customer_id: number }).customer_id)
    .map(({ messaging_token: token }) => token);
const now = (): string => api.clock.now().toISOString().slice(0, 19);

describe('PUT /notification_device', () => {
  it('stores the device of the session for its customer', async () => {
    const details = { device_type: 'ios', device_vendor: 'Apple', mobile_info: 'iPhone 17' };
    const device = await register('push-1', phone, { ...details, customer_id: 987_654, uuid: 'another' });
    expect(device).toEqual({
      id: expect.any(Number),
      uuid: 'phone',
      messaging_token: 'push-1',
      notification_channel_id: 3,
      ...details,
      inserted_at: now(),
      updated_at: now(),
    });
    expect(await readDevices()).toEqual([{ id: device.id, uuid: 'phone', messaging_token: 'push-1', ...idOf(mira) }]);
  });

  it('refuses a session that ended but is still cached', async () => {
    const ana = await newCustomer(shop, 'ana@example.com');
    const anaPhone = await signIn(ana, 'phone');
    await register('shared');
    await register('shared', anaPhone);
    await api.database.rows('update access_tokens set revoked_at = now() where customer_id = $1', [
      (mira as { customer_id: number }).customer_id,
    ]);
    const { status, body } = await putDevice('shared');
    expect([status, body]).toEqual([401, { errors: { token: expect.any(String) } }]);
    expect([await tokensOf(mira), await tokensOf(ana)]).toEqual([[], ['shared']]);
  });

  it('trims the token before looking it up', async () => {
    const ana = await newCustomer(shop, 'ana@example.com');
    await register('push-1');
    expect((await register(' push-1 ', await signIn(ana, 'phone'))).messaging_token).toBe('push-1');
    expect([await tokensOf(mira), await tokensOf(ana)]).toEqual([[], ['push-1']]);
  });

  it('takes a token of 4,096 characters, and an object as mobile info', async () => {
    const mobileInfo = { model: 'FP5', text: 'x'.repeat(4_096 - 25) };
    const session = await signIn(mira, 'tablet', { mobile_info: mobileInfo });
    expect(JSON.stringify(mobileInfo)).toHaveLength(4_096);
    expect(await register('k'.repeat(4_096), session)).toMatchObject({
      messaging_token: 'k'.repeat(4_096),
      mobile_info: mobileInfo,
    });
  });

  it('moves the token to the next customer who uses the device', async () => {
    const ana = await newCustomer(shop, 'ana@example.com');
    await register('push-1');
    await register('push-1', await signIn(ana, 'phone'));
    expect([await tokensOf(mira), await tokensOf(ana)]).toEqual([[], ['push-1']]);
    await register('push-1');
    expect([await tokensOf(mira), await tokensOf(ana)]).toEqual([['push-1'], []]);
  });

  it('keeps other tokens of the former owner, and tokens of devices with the same uuid', async () => {
    const ana = await newCustomer(shop, 'ana@example.com');
    await register('push-1');
    await register('push-2', await signIn(mira, 'tablet'));
    await register('push-3', await signIn(ana, 'phone'));
    await register('push-1', await signIn(ana, 'other'));
    expect([await tokensOf(mira), await tokensOf(ana)]).toEqual([['push-2'], ['push-3', 'push-1']]);
  });

  it('makes push the preferred channel while the customer has the token', async () => {
    const readPreferredChannel = async () =>
      (await phone.get('/customer/consents')).body.data.preferred.notification_channel_id;
    expect(await readPreferredChannel()).toBe(1);
    await register('push-1');
    expect(await readPreferredChannel()).toBe(3);
    await register('push-1', await signIn(await newCustomer(shop, 'ana@example.com'), 'phone'));
    expect(await readPreferredChannel()).toBe(1);
  });

  it('identifies a session without a device uuid by its id', async () => {
    await api.database.rows('update access_tokens set device_uuid = null where app_id = $1', [shop.appId]);
    const { uuid, id } = await register('push-1');
    expect(uuid).toMatch(/^session-\d+$/);
    expect((await register('push-1')).id).toBe(id);
  });
});

describe('the body of PUT /notification_device', () => {
  const sendDevice = (notification_device?: object): Promise<Reply> =>
    phone.put('/notification_device', { notification_device });
  const completeFields = { messaging_token: 'push-1', notification_channel_id: 3 };

  it('requires notification_device', async () => {
    expect((await sendDevice()).status).toBe(400);
    expect((await sendDevice(completeFields)).status).toBe(200);
  });

  it('requires notification_device.messaging_token', async () => {
    const { status, body } = await sendDevice({ notification_channel_id: 3 });
    expect([status, body]).toEqual([422, { errors: { messaging_token: ["can't be blank"] } }]);
  });

  it('accepts only 3 as notification_device.notification_channel_id', async () => {
    const { status, body } = await sendDevice({ messaging_token: 'push-1' });
    expect([status, body]).toEqual([422, { errors: { notification_channel_id: ["can't be blank"] } }]);
    expect((await sendDevice({ ...completeFields, notification_channel_id: 2 })).status).toBe(422);
  });

  it.each(['device_type', 'device_vendor', 'mobile_info'])(
    'accepts notification_device.%s as optional',
    async (name) => {
      expect((await sendDevice(completeFields)).body.data[name]).toBeNull();
      expect((await sendDevice({ ...completeFields, [name]: 'detail' })).body.data[name]).toBe('detail');
    },
  );
});

describe('PUT /notification_device without a customer session', () => {
  it.each([
    ['the app', async () => shop],
    ['an anonymous session', async () => signIn({}, 'phone')],
  ])('returns 401 for the token of %s', async (_, client) => {
    const { status, body } = await putDevice('push-1', await client());
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Invalid' } }]);
    expect(await readDevices()).toEqual([]);
  });
});

describe('PUT /notification_device with an invalid body', () => {
  const longText = 'x'.repeat(256);
  const BLANK_ERROR = ["can't be blank"];
  it.each([
    ['an empty token', { messaging_token: '' }, { messaging_token: BLANK_ERROR }],
    ['a blank token', { messaging_token: ' \t' }, { messaging_token: BLANK_ERROR }],
    ['no token', { messaging_token: null }, { messaging_token: BLANK_ERROR }],
    ['a long token', { messaging_token: 'x'.repeat(4_097) }, { messaging_token: ['is too long'] }],
    ['a token with NUL', { messaging_token: 'a\0b' }, { messaging_token: ['is invalid'] }],
    ['no channel', { notification_channel_id: undefined }, { notification_channel_id: BLANK_ERROR }],
    ['the e-mail channel', { notification_channel_id: 1 }, { notification_channel_id: ['is invalid'] }],
    ['the viber channel', { notification_channel_id: 4 }, { notification_channel_id: ['is invalid'] }],
    ['an unknown channel', { notification_channel_id: -3 }, { notification_channel_id: ['is invalid'] }],
    [
      'long details',
      { device_type: longText, device_vendor: longText, mobile_info: longText },
      Object.fromEntries(['device_type', 'device_vendor', 'mobile_info'].map((name) => [name, ['is too long']])),
    ],
    ['an object with NUL', { mobile_info: { model: ['a\0b'] } }, { mobile_info: ['is invalid'] }],
    ['an object whose key is half a character', { mobile_info: { 'a\uD800': 1 } }, { mobile_info: ['is invalid'] }],
    ['a large object', { mobile_info: { text: 'x'.repeat(4_086) } }, { mobile_info: ['is too long'] }],
    [
      'two invalid fields',
      { messaging_token: '', notification_channel_id: 2 },
      { messaging_token: BLANK_ERROR, notification_channel_id: ['is invalid'] },
    ],
  ])('reports every invalid field of %s and stores nothing', async (_, fields, errors) => {
    const { status, body } = await putDevice('push-1', phone, fields);
    expect([status, body]).toEqual([422, { errors }]);
    expect(await readDevices()).toEqual([]);
  });

  it.each([
    [{}],
    [{ notification_device: null }],
    [{ notification_device: [] }],
    [{ messaging_token: 'push-1', notification_channel_id: 3 }],
    [{ notification_device: { messaging_token: 5, notification_channel_id: 3 } }],
    [{ notification_device: { messaging_token: 'push-1', notification_channel_id: '3' } }],
    [{ notification_device: { messaging_token: 'push-1', notification_channel_id: 3.5 } }],
    [{ notification_device: { messaging_token: 'push-1', notification_channel_id: 3, mobile_info: [] } }],
  ])('refuses the body %j', async (body) => {
    const { status, body: responseBody } = await phone.put('/notification_device', body);
    expect([status, responseBody]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

function idOf(customer: object): object {
  const { customer_id } = customer as { customer_id: number };
  return { customer_id };
}

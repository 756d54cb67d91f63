import { newCustomer, startSession } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let customer: Awaited<ReturnType<typeof newCustomer>>;
let phone: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  customer = await newCustomer(shop, 'mira@example.com');
  phone = await signIn(customer);
});

/** Starts a session; anonymous without a customer. */
const signIn = async (session: object = {}, client = shop): Promise<Client> =>
  api.through({ ...client, token: await startSession(client, session) }, [api.origin]);

const CHANNELS = ['email', 'sms', 'push', 'viber'];
const put = (channel: unknown, state: unknown, client = phone): Promise<Reply> =>
  client.put('/customer/consent', { channel, state });
const putMaster = (state: unknown, client = phone): Promise<Reply> =>
  client.put('/customer/consents/master', { state });
// eslint-disable-next-line typescript/no-explicit-any
const dataOf = (reply: Reply): any => {
  expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['data']]);
  return reply.body.data;
};
const consent = async (client = phone) => dataOf(await client.get('/customer/consents'));
const historyRows = () =>
  api.database.rows<Record<string, unknown>>(
    `select customer_id, channel, step, from_state, to_state, source from customer_consent_changes
     where app_id = $1 order by id`,
    [shop.appId],
  );
const formatSecond = (date: Date): string => date.toISOString().slice(0, 19);
const now = (): string => formatSecond(api.clock.now());
const row = (channel: string, step: number, to: 'granted' | 'revoked') => ({
  customer_id: customer.customer_id,
  channel,
  step,
  from_state: to === 'granted' ? 'revoked' : 'granted',
  to_state: to,
  source: 'mobile_app',
});
const untouched = { state: 'granted', effective: true, source: null, changed_at: null };

describe('GET /customer/consents', () => {
  it('grants everything since the registration by default', async () => {
    const registered = now();
    api.clock.forward({ hours: 5 });
    expect(await consent()).toEqual({
      master: true,
      channels: { email: untouched, sms: untouched, push: untouched, viber: untouched },
      preferred: { notification_channel_id: 1, source: 'auto' },
      viber_subscribed: false,
      given_at: registered,
    });
  });

  it('shows source and time of the last change of each channel', async () => {
    await put('sms', 'revoked');
    const first = now();
    api.clock.forward({ hours: 1 });
    await put('viber', 'revoked');
    expect(await consent()).toMatchObject({
      channels: {
        email: untouched,
        sms: { state: 'revoked', effective: false, source: 'mobile_app', changed_at: first },
        viber: { state: 'revoked', effective: false, source: 'mobile_app', changed_at: now() },
      },
      given_at: now(),
    });
  });

  it('belongs to the customer, not the session', async () => {
    await put('email', 'revoked');
    expect(await consent(await signIn(customer))).toEqual(await consent());
    const other = await signIn(await newCustomer(shop, 'ana@example.com'));
    expect((await consent(other)).channels.email).toEqual(untouched);
  });
});

describe('Consent object', () => {
  beforeEach(async () => {
    await put('sms', 'revoked');
    api.clock.forward({ seconds: 90 });
  });

  it('master: is true while all marketing is granted', async () => {
    expect(dataOf(await putMaster('revoked')).master).toBe(false);
    expect(dataOf(await putMaster('granted')).master).toBe(true);
  });

  it('channels: has email, sms, push and viber', async () => {
    expect(Object.keys((await consent()).channels)).toEqual(CHANNELS);
  });

  it('channels.<channel>.state: is granted until it is revoked', async () => {
    const { channels } = await consent();
    expect(CHANNELS.map((each) => channels[each].state)).toEqual(['granted', 'revoked', 'granted', 'granted']);
  });

  it('channels.<channel>.effective: needs channel and master', async () => {
    const effective = ({ channels }: { channels: Record<string, { effective: boolean }> }) =>
      CHANNELS.filter((each) => channels[each]?.effective);
    expect(effective(await consent())).toEqual(['email', 'push', 'viber']);
    expect(effective(dataOf(await putMaster('revoked')))).toEqual([]);
    expect(effective(dataOf(await put('sms', 'granted')))).toEqual([]);
    expect(effective(dataOf(await putMaster('granted')))).toEqual(CHANNELS);
  });

  it('channels.<channel>.source, changed_at: ignore the master, null without a change', async () => {
    await putMaster('revoked');
    const { channels } = await consent();
    const changed = formatSecond(new Date(api.clock.now().getTime() - 90_000));
    expect(channels.sms).toMatchObject({ source: 'mobile_app', changed_at: changed });
    expect(channels.email).toMatchObject({ source: null, changed_at: null });
  });

  it('preferred: has channel and source', async () => {
    expect((await consent()).preferred).toEqual({ notification_channel_id: 1, source: 'auto' });
  });

  it('viber_subscribed: comes from the customer', async () => {
    const added = {
      email: 'v@example.com',
      first_name: 'V',
      last_name: 'W',
      external_ref: 'v',
      viber_subscribed: true,
    };
    await shop.post('/customers', { customer: added });
    expect((await consent(await signIn({ customer_external_ref: 'v' }))).viber_subscribed).toBe(true);
    expect((await consent()).viber_subscribed).toBe(false);
  });

  it('given_at: is the last change or the registration', async () => {
    expect((await consent()).given_at).toBe(formatSecond(new Date(api.clock.now().getTime() - 90_000)));
    expect(dataOf(await putMaster('revoked')).given_at).toBe(now());
    const registered = now();
    const other = await signIn(await newCustomer(shop, 'new@example.com'));
    api.clock.forward({ seconds: 5 });
    expect((await consent(other)).given_at).toBe(registered);
  });
});

describe('the preferred channel', () => {
  const preferredOf = async (fields: object) => {
    const added = { email: 'p@example.com', first_name: 'P', last_name: 'Q', external_ref: 'p', ...fields };
    expect((await shop.post('/customers', { customer: added })).status).toBe(201);
    const client = await signIn({ customer_external_ref: 'p' });
    return async () => {
      const { preferred, viber_subscribed: viber } = await consent(client);
      return [preferred.notification_channel_id, preferred.source, viber];
    };
  };

  it.each([1, 2, 3, 4])('is channel %i when chosen by the customer', async (id) => {
    expect(await (await preferredOf({ preferred_notification_channel_id: id }))()).toEqual([id, 'manual', false]);
  });

  it('is viber when subscribed without a device', async () => {
    const preferred = await preferredOf({ viber_subscribed: true });
    expect(await preferred()).toEqual([4, 'auto', true]);
    await api.database.rows(
      `insert into notification_devices
         (app_id, customer_id, uuid, messaging_token, notification_channel_id, inserted_at, updated_at)
       select app_id, id, 'u', 't', 3, inserted_at, inserted_at from customers where app_id = $1 and external_ref = 'p'`,
      [shop.appId],
    );
    expect(await preferred()).toEqual([3, 'auto', true]);
  });

  it.each([
    ['a phone', '+381', 2],
    ['a blank phone', ' ', null],
    ['no phone', null, null],
  ])('is sms with e-mail revoked only with a phone: %s', async (_, number, id) => {
    const added = { email: 'p@example.com', first_name: 'P', last_name: 'Q', external_ref: 'p', phone: number };
    await shop.post('/customers', { customer: added });
    const client = await signIn({ customer_external_ref: 'p' });
    const { preferred } = dataOf(await put('email', 'revoked', client));
    expect(preferred).toEqual({ notification_channel_id: id, source: 'auto' });
  });

  it('is null while the master is revoked', async () => {
    expect(dataOf(await putMaster('revoked')).preferred).toEqual({ notification_channel_id: null, source: 'auto' });
  });
});

describe('PUT /customer/consent', () => {
  it.each(CHANNELS)('revokes and grants only %s and returns the consent', async (channel) => {
    const revoked = dataOf(await put(channel, 'revoked'));
    const changed = { state: 'revoked', effective: false, source: 'mobile_app', changed_at: now() };
    const others = CHANNELS.filter((each) => each !== channel).map((each) => [each, untouched]);
    expect(revoked).toMatchObject({ master: true, channels: { ...Object.fromEntries(others), [channel]: changed } });
    expect(await consent()).toEqual(revoked);
    api.clock.forward({ seconds: 7 });
    const granted = dataOf(await put(channel, 'granted'));
    expect(granted.channels[channel]).toEqual({ ...changed, state: 'granted', effective: true, changed_at: now() });
    expect(await consent()).toEqual(granted);
    expect(await historyRows()).toEqual([row(channel, 1, 'revoked'), row(channel, 2, 'granted')]);
  });

  it('records nothing for the same state', async () => {
    const before = await consent();
    expect(dataOf(await put('push', 'granted'))).toEqual(before);
    expect(await historyRows()).toEqual([]);
    const revoked = dataOf(await put('push', 'revoked'));
    api.clock.forward({ hours: 1 });
    expect(dataOf(await put('push', 'revoked'))).toEqual(revoked);
    expect(await historyRows()).toEqual([row('push', 1, 'revoked')]);
  });

  it('ignores a customer id in the body', async () => {
    const other = await newCustomer(shop, 'ana@example.com');
    const body = { channel: 'sms', state: 'revoked', ...other, source: 'elsewhere' };
    expect((await phone.put('/customer/consent', body)).status).toBe(200);
    expect(await historyRows()).toEqual([row('sms', 1, 'revoked')]);
    expect((await consent(await signIn(other))).channels.sms).toEqual(untouched);
  });

  it('replays the first answer for an Idempotency-Key', async () => {
    const first = await put('sms', 'revoked', phone.keyed('k'));
    await put('sms', 'granted');
    const repeat = await put('sms', 'revoked', phone.keyed('k'));
    expect([repeat.text, repeat.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect((await consent()).channels.sms.state).toBe('granted');
  });
});

describe('PUT /customer/consents/master', () => {
  it('revokes all channels, which keep their states', async () => {
    await put('viber', 'revoked');
    api.clock.forward({ seconds: 1 });
    const off = dataOf(await putMaster('revoked'));
    expect(off).toMatchObject({ master: false, given_at: now() });
    expect(CHANNELS.map((each) => [off.channels[each].state, off.channels[each].effective])).toEqual([
      ['granted', false],
      ['granted', false],
      ['granted', false],
      ['revoked', false],
    ]);
    const on = dataOf(await putMaster('granted'));
    expect(CHANNELS.map((each) => on.channels[each].effective)).toEqual([true, true, true, false]);
    expect(await historyRows()).toEqual([
      row('viber', 1, 'revoked'),
      row('master', 1, 'revoked'),
      row('master', 2, 'granted'),
    ]);
  });

  it('records nothing for the same state', async () => {
    const before = await consent();
    expect(dataOf(await putMaster('granted'))).toEqual(before);
    expect(await historyRows()).toEqual([]);
  });
});

describe('Consent, device and stock error keys: consent calls', () => {
  const AREA = 'CustomerChannelConsents';
  const refused = async (reply: Promise<Reply>, key: string, fields: object) => {
    const { status, body } = await reply;
    expect([status, body]).toEqual([422, { errors: { [AREA]: [`API.${AREA}.${key}`], fields } }]);
    expect(await historyRows()).toEqual([]);
  };
  const INVALID_CHANNELS = ['EMAIL', 'email ', 'fax', '', 5, true, null, ['email'], { email: 1 }];

  it.each(INVALID_CHANNELS)('422 API.CustomerChannelConsents.InvalidChannel: %j', (channel) =>
    refused(put(channel, 'revoked'), 'InvalidChannel', { channel }),
  );

  it('422 API.CustomerChannelConsents.InvalidChannel: absent, checked before the state', async () => {
    await refused(phone.put('/customer/consent', { state: 'revoked' }), 'InvalidChannel', { channel: null });
    await refused(phone.put('/customer/consent', {}), 'InvalidChannel', { channel: null });
  });

  it('422 API.CustomerChannelConsents.InvalidChannel: master', () =>
    refused(put('master', 'revoked'), 'InvalidChannel', { channel: 'master' }));

  it.each(['GRANTED', 'off', '', 0, false, null, ['revoked'], { state: 'revoked' }])(
    '422 API.CustomerChannelConsents.InvalidState: %j',
    async (state) => {
      await refused(put('sms', state), 'InvalidState', { state });
      await refused(putMaster(state), 'InvalidState', { state });
    },
  );

  it('422 API.CustomerChannelConsents.InvalidState: absent', async () => {
    await refused(phone.put('/customer/consent', { channel: 'sms' }), 'InvalidState', { state: null });
    await refused(phone.put('/customer/consents/master', {}), 'InvalidState', { state: null });
  });

  const CALLS: readonly (readonly [string, (client: Client) => Promise<Reply>])[] = [
    ['GET /customer/consents', (client) => client.get('/customer/consents')],
    ['GET /customer/consents/history', (client) => client.get('/customer/consents/history')],
    ['PUT /customer/consent', (client) => put('sms', 'revoked', client)],
    ['PUT /customer/consent with an unknown channel', (client) => put('fax', 'revoked', client)],
    ['PUT /customer/consents/master', (client) => putMaster('revoked', client)],
  ];

  it.each(CALLS)('422 API.CustomerChannelConsents.CustomerRequired: %s in an anonymous session', async (_, call) => {
    const { status, body } = await call(await signIn());
    expect([status, body]).toEqual([422, { errors: { [AREA]: [`API.${AREA}.CustomerRequired`] } }]);
    expect(await historyRows()).toEqual([]);
  });

  it.each(CALLS)('401 %s with the token of the app', async (_, call) => {
    const { status, body } = await call(shop);
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Invalid' } }]);
  });

  it.each(['granted', [], null])('400 a body that is not an object: %j', async (body) => {
    expect((await phone.put('/customer/consent', body)).status).toBe(400);
    expect((await phone.put('/customer/consents/master', body)).status).toBe(400);
  });
});

describe('concurrent changes', () => {
  it('to one state make one row', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => put('email', 'revoked')));
    for (const reply of replies) expect(dataOf(reply).channels.email.state).toBe('revoked');
    expect(await historyRows()).toEqual([row('email', 1, 'revoked')]);
  });

  it('in both directions form a chain that ends with the state', async () => {
    const changes = Array.from(
      { length: 40 },
      (_, index) => [['master', 'sms', 'push'][index % 3] as string, index % 2 === 0 ? 'revoked' : 'granted'] as const,
    );
    const replies = await Promise.all(
      changes.map(([channel, state]) => (channel === 'master' ? putMaster(state) : put(channel, state))),
    );
    expect([...new Set(replies.map(({ status }) => status))]).toEqual([200]);
    const rows = await historyRows();
    const after = await consent();
    for (const channel of ['master', 'sms', 'push']) {
      const own = rows.filter((each) => each['channel'] === channel);
      expect(own.map(({ step }) => step)).toEqual(own.map((_, index) => index + 1));
      own.forEach((each, index) => expect(each['from_state']).toBe(own[index - 1]?.['to_state'] ?? 'granted'));
      const last = own.at(-1)?.['to_state'] ?? 'granted';
      expect(channel === 'master' ? after.master : after.channels[channel].state).toBe(
        channel === 'master' ? last === 'granted' : last,
      );
    }
  });

  it('cannot write a row without a change', async () => {
    await put('sms', 'revoked');
    const again = `insert into customer_consent_changes
      (app_id, customer_id, channel, step, from_state, to_state, source, changed_at)
      select app_id, customer_id, channel, step + $2, from_state, to_state, source, changed_at
      from customer_consent_changes where app_id = $1`;
    await expect(api.database.rows(again, [shop.appId, 0])).rejects.toThrow('customer_consent_changes_step_key');
    await expect(api.database.rows(again, [shop.appId, 1])).rejects.toThrow('customer_consent_changes_real_check');
  });
});

describe('GET /customer/consents/history', () => {
  const history = async (query = '', client = phone) => dataOf(await client.get(`/customer/consents/history${query}`));

  it('lists every change, oldest first', async () => {
    expect(await history()).toEqual([]);
    const first = now();
    await put('sms', 'revoked');
    api.clock.forward({ seconds: 30 });
    await putMaster('revoked');
    await put('sms', 'granted');
    const change = { id: expect.any(Number), customer_id: customer.customer_id, source: 'mobile_app' };
    expect(await history()).toEqual([
      { ...change, channel: 'sms', from: 'granted', to: 'revoked', changed_at: first },
      { ...change, channel: 'master', from: 'granted', to: 'revoked', changed_at: now() },
      { ...change, channel: 'sms', from: 'revoked', to: 'granted', changed_at: now() },
    ]);
  });

  it('never alters earlier changes', async () => {
    await put('sms', 'revoked');
    const before = await history();
    await put('sms', 'granted');
    await putMaster('revoked');
    expect((await history()).slice(0, 1)).toEqual(before);
  });

  it('lists only changes of the signed-in customer', async () => {
    await put('sms', 'revoked');
    const other = await signIn(await newCustomer(shop, 'ana@example.com'));
    expect(await history('', other)).toEqual([]);
  });

  it('is paged, 30 by default; invalid values fall back', async () => {
    for (let turn = 0; turn < 33; turn += 1) await put('sms', turn % 2 === 0 ? 'revoked' : 'granted');
    const ids = async (query: string) => (await history(query)).map(({ id }: { id: number }) => id);
    const all = await ids('?limit=99999');
    expect(all).toEqual([...all].sort((one: number, other: number) => one - other));
    expect(all).toHaveLength(33);
    expect(await ids('')).toEqual(all.slice(0, 30));
    expect(await ids('?offset=30')).toEqual(all.slice(30));
    expect(await ids('?offset=2&limit=3')).toEqual(all.slice(2, 5));
    for (const limit of ['0', '-1', 'x', '']) expect(await ids(`?limit=${limit}`)).toEqual(all.slice(0, 30));
  });
});

describe('GET /customers/{id}/consents', () => {
  const path = (at = '', { customer_id: id, data_part, time_part } = customer): string =>
    `/customers/${id}/consents?dataPart=${data_part}&timePart=${time_part}${at && `&at=${at}`}`;
  const at = async (moment = '') => dataOf(await shop.get(path(moment)));
  const forward = () => api.clock.forward({ hours: 1 });

  it('shows state, effect and evidence at each moment', async () => {
    const registered = now();
    forward();
    await put('sms', 'revoked');
    const smsRevoked = now();
    forward();
    await putMaster('revoked');
    const off = now();
    forward();
    await put('sms', 'granted');
    await putMaster('granted');
    const on = now();
    const [sms, master, smsAgain, masterAgain] = dataOf(await phone.get('/customer/consents/history'));
    const never = { state: 'granted', effective: true, evidence: null };
    const known = { customer_id: customer.customer_id, registered_at: registered };
    const channels = { email: never, sms: never, push: never, viber: never };

    expect(await at(registered)).toEqual({
      ...known,
      at: registered,
      master: { state: 'granted', evidence: null },
      channels,
    });
    expect(await at(smsRevoked)).toEqual({
      ...known,
      at: smsRevoked,
      master: { state: 'granted', evidence: null },
      channels: { ...channels, sms: { state: 'revoked', effective: false, evidence: sms } },
    });
    const ineffective = { ...never, effective: false };
    expect(await at(off)).toEqual({
      ...known,
      at: off,
      master: { state: 'revoked', evidence: master },
      channels: {
        email: ineffective,
        push: ineffective,
        viber: ineffective,
        sms: { state: 'revoked', effective: false, evidence: sms },
      },
    });
    const again = {
      ...known,
      master: { state: 'granted', evidence: masterAgain },
      channels: { ...channels, sms: { state: 'granted', effective: true, evidence: smsAgain } },
    };
    expect(await at(on)).toEqual({ ...again, at: on });
    forward();
    expect(await at()).toEqual({ ...again, at: now() });
    expect(await at('2999-01-01')).toEqual({ ...again, at: '2999-01-01T00:00:00' });
  });

  it('includes changes within the second, not after it', async () => {
    api.clock.forward({ hours: 1, seconds: 0.9 });
    await put('sms', 'revoked');
    const changed = api.clock.now();
    const before = new Date(changed.getTime() - 1_000);
    expect((await at(formatSecond(before))).channels.sms).toEqual({
      state: 'granted',
      effective: true,
      evidence: null,
    });
    expect((await at(formatSecond(changed))).channels.sms.state).toBe('revoked');
    expect((await at(`${formatSecond(changed)}%2B01:00`)).channels.sms.evidence).toBeNull();
  });

  it('is all null before the registration', async () => {
    const nothing = { state: null, effective: false, evidence: null };
    expect(await at('2020-01-01')).toMatchObject({
      at: '2020-01-01T00:00:00',
      master: { state: null, evidence: null },
      channels: { email: nothing, sms: nothing, push: nothing, viber: nothing },
    });
  });

  it.each(['yesterday', '2026-02-30', '2026-11-21T25:00:00'])('refuses at=%s', async (moment) => {
    expect((await shop.get(path(moment))).status).toBe(400);
  });

  it('requires both parts of the id', async () => {
    expect((await shop.get(`/customers/${customer.customer_id}/consents`)).status).toBe(400);
    expect((await shop.get(`/customers/${customer.customer_id}/consents?dataPart=1`)).status).toBe(400);
  });

  it.each([
    ['another data_part', { data_part: 65 }],
    ['another time_part', { time_part: 1 }],
    ['another id', { customer_id: 987_654_321 }],
  ])('is 404 with %s', async (_, parts) => {
    const { status, text } = await shop.get(path('', { ...customer, ...parts }));
    expect([status, text]).toEqual([404, '']);
  });

  it('is 404 for another app', async () => {
    const { status, text } = await (await api.app()).get(path());
    expect([status, text]).toEqual([404, '']);
  });

  it('is 401 for a session', async () => {
    expect((await phone.get(path())).status).toBe(401);
  });
});

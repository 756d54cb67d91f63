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

const signIn = async (session: object = {}, client = shop): Promise<Client> =>
  api.withOrigins({ ...client, token: await startSession(client, session) }, [api.origin]);

const CHANNELS = ['email', 'sms', 'push', 'viber'];
const putConsent = (channel: unknown, state: unknown, client = phone): Promise<Reply> =>
  client.put('/customer/consent', { channel, state });
const putMaster = (state: unknown, client = phone): Promise<Reply> =>
  client.put('/customer/consents/master', { state });
// eslint-disable-next-line typescript/no-explicit-any
const dataOf = (reply: Reply): any => {
  expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['data']]);
  return reply.body.data;
};
const readConsent = async (client = phone) => dataOf(await client.get('/customer/consents'));
const readHistoryRows = () =>
  api.database.rows<Record<string, unknown>>(
    `select customer_id, channel, step, from_state, to_state, source from customer_consent_changes
     where app_id = $1 order by id`,
    [shop.appId],
  );
const formatSecond = (date: Date): string => date.toISOString().slice(0, 19);
const now = (): string => formatSecond(api.clock.now());
const historyRow = (channel: string, step: number, to: 'granted' | 'revoked') => ({
  customer_id: customer.customer_id,
  channel,
  step,
  from_state: to === 'granted' ? 'revoked' : 'granted',
  to_state: to,
  source: 'mobile_app',
});
const UNCHANGED_CHANNEL = { state: 'granted', effective: true, source: null, changed_at: null };

describe('GET /customer/consents', () => {
  it('shows every channel as granted since the registration by default', async () => {
    const registeredAt = now();
    api.clock.forward({ hours: 5 });
    expect(await readConsent()).toEqual({
      master: true,
      channels: { email: UNCHANGED_CHANNEL, sms: UNCHANGED_CHANNEL, push: UNCHANGED_CHANNEL, viber: UNCHANGED_CHANNEL },
      preferred: { notification_channel_id: 1, source: 'auto' },
      viber_subscribed: false,
      given_at: registeredAt,
    });
  });

  it('shows source and time of the last change of each channel', async () => {
    await putConsent('sms', 'revoked');
    const firstChangedAt = now();
    api.clock.forward({ hours: 1 });
    await putConsent('viber', 'revoked');
    expect(await readConsent()).toMatchObject({
      channels: {
        email: UNCHANGED_CHANNEL,
        sms: { state: 'revoked', effective: false, source: 'mobile_app', changed_at: firstChangedAt },
        viber: { state: 'revoked', effective: false, source: 'mobile_app', changed_at: now() },
      },
      given_at: now(),
    });
  });

  it('shows the same consent in every session of the customer', async () => {
    await putConsent('email', 'revoked');
    expect(await readConsent(await signIn(customer))).toEqual(await readConsent());
    const otherPhone = await signIn(await newCustomer(shop, 'ana@example.com'));
    expect((await readConsent(otherPhone)).channels.email).toEqual(UNCHANGED_CHANNEL);
  });
});

describe('the consent object', () => {
  beforeEach(async () => {
    await putConsent('sms', 'revoked');
    api.clock.forward({ seconds: 90 });
  });

  it('shows master as true while all marketing is granted', async () => {
    expect(dataOf(await putMaster('revoked')).master).toBe(false);
    expect(dataOf(await putMaster('granted')).master).toBe(true);
  });

  it('lists the channels email, sms, push and viber', async () => {
    expect(Object.keys((await readConsent()).channels)).toEqual(CHANNELS);
  });

  it('shows a channel as granted until it is revoked', async () => {
    const { channels } = await readConsent();
    expect(CHANNELS.map((channel) => channels[channel].state)).toEqual(['granted', 'revoked', 'granted', 'granted']);
  });

  it('shows a channel as effective when it and the master are granted', async () => {
    const effectiveChannels = ({ channels }: { channels: Record<string, { effective: boolean }> }) =>
      CHANNELS.filter((channel) => channels[channel]?.effective);
    expect(effectiveChannels(await readConsent())).toEqual(['email', 'push', 'viber']);
    expect(effectiveChannels(dataOf(await putMaster('revoked')))).toEqual([]);
    expect(effectiveChannels(dataOf(await putConsent('sms', 'granted')))).toEqual([]);
    expect(effectiveChannels(dataOf(await putMaster('granted')))).toEqual(CHANNELS);
  });

  it('shows source and changed_at of changes of a channel, but not of the master', async () => {
    await putMaster('revoked');
    const { channels } = await readConsent();
    const changedAt = formatSecond(new Date(api.clock.now().getTime() - 90_000));
    expect(channels.sms).toMatchObject({ source: 'mobile_app', changed_at: changedAt });
    expect(channels.email).toMatchObject({ source: null, changed_at: null });
  });

  it('shows the preferred channel and its source', async () => {
    expect((await readConsent()).preferred).toEqual({ notification_channel_id: 1, source: 'auto' });
  });

  it('shows viber_subscribed of the customer', async () => {
    const customerFields = {
      email: 'v@example.com',
      first_name: 'V',
      last_name: 'W',
      external_ref: 'v',
      viber_subscribed: true,
    };
    await shop.post('/customers', { customer: customerFields });
    expect((await readConsent(await signIn({ customer_external_ref: 'v' }))).viber_subscribed).toBe(true);
    expect((await readConsent()).viber_subscribed).toBe(false);
  });

  it('shows the last change, or else the registration, as given_at', async () => {
    expect((await readConsent()).given_at).toBe(formatSecond(new Date(api.clock.now().getTime() - 90_000)));
    expect(dataOf(await putMaster('revoked')).given_at).toBe(now());
    const registeredAt = now();
    const otherPhone = await signIn(await newCustomer(shop, 'new@example.com'));
    api.clock.forward({ seconds: 5 });
    expect((await readConsent(otherPhone)).given_at).toBe(registeredAt);
  });
});

describe('PUT /customer/consent', () => {
  it.each(CHANNELS)('revokes and grants only %s and returns the consent', async (channel) => {
    const revokedConsent = dataOf(await putConsent(channel, 'revoked'));
    const changedChannel = { state: 'revoked', effective: false, source: 'mobile_app', changed_at: now() };
    const otherChannels = CHANNELS.filter((other) => other !== channel).map((other) => [other, UNCHANGED_CHANNEL]);
    expect(revokedConsent).toMatchObject({
      master: true,
      channels: { ...Object.fromEntries(otherChannels), [channel]: changedChannel },
    });
    expect(await readConsent()).toEqual(revokedConsent);
    api.clock.forward({ seconds: 7 });
    const grantedConsent = dataOf(await putConsent(channel, 'granted'));
    expect(grantedConsent.channels[channel]).toEqual({
      ...changedChannel,
      state: 'granted',
      effective: true,
      changed_at: now(),
    });
    expect(await readConsent()).toEqual(grantedConsent);
    expect(await readHistoryRows()).toEqual([historyRow(channel, 1, 'revoked'), historyRow(channel, 2, 'granted')]);
  });

  it('ignores a customer id in the body', async () => {
    const otherCustomer = await newCustomer(shop, 'ana@example.com');
    const body = { channel: 'sms', state: 'revoked', ...otherCustomer, source: 'elsewhere' };
    expect((await phone.put('/customer/consent', body)).status).toBe(200);
    expect(await readHistoryRows()).toEqual([historyRow('sms', 1, 'revoked')]);
    expect((await readConsent(await signIn(otherCustomer))).channels.sms).toEqual(UNCHANGED_CHANNEL);
  });

  it('replays the first answer for an Idempotency-Key', async () => {
    const firstReply = await putConsent('sms', 'revoked', phone.keyed('k'));
    await putConsent('sms', 'granted');
    const repeatedReply = await putConsent('sms', 'revoked', phone.keyed('k'));
    expect([repeatedReply.text, repeatedReply.headers['idempotency-replayed']]).toEqual([firstReply.text, 'true']);
    expect((await readConsent()).channels.sms.state).toBe('granted');
  });
});

describe('PUT /customer/consents/master', () => {
  it('makes all channels ineffective and keeps their states', async () => {
    await putConsent('viber', 'revoked');
    api.clock.forward({ seconds: 1 });
    const revokedConsent = dataOf(await putMaster('revoked'));
    expect(revokedConsent).toMatchObject({ master: false, given_at: now() });
    expect(
      CHANNELS.map((channel) => [revokedConsent.channels[channel].state, revokedConsent.channels[channel].effective]),
    ).toEqual([
      ['granted', false],
      ['granted', false],
      ['granted', false],
      ['revoked', false],
    ]);
    const grantedConsent = dataOf(await putMaster('granted'));
    expect(CHANNELS.map((channel) => grantedConsent.channels[channel].effective)).toEqual([true, true, true, false]);
    expect(await readHistoryRows()).toEqual([
      historyRow('viber', 1, 'revoked'),
      historyRow('master', 1, 'revoked'),
      historyRow('master', 2, 'granted'),
    ]);
  });
});

describe('an invalid consent call', () => {
  const AREA = 'CustomerChannelConsents';
  const expectRefused = async (reply: Promise<Reply>, key: string, fields: object) => {
    const { status, body } = await reply;
    expect([status, body]).toEqual([422, { errors: { [AREA]: [`API.${AREA}.${key}`], fields } }]);
    expect(await readHistoryRows()).toEqual([]);
  };
  const INVALID_CHANNELS = ['EMAIL', 'email ', 'fax', '', 5, true, null, ['email'], { email: 1 }];

  it.each(INVALID_CHANNELS)('returns 422 API.CustomerChannelConsents.InvalidChannel for %j', (channel) =>
    expectRefused(putConsent(channel, 'revoked'), 'InvalidChannel', { channel }),
  );

  it('returns 422 API.CustomerChannelConsents.InvalidChannel for an absent channel, even with an invalid state', async () => {
    await expectRefused(phone.put('/customer/consent', { state: 'revoked' }), 'InvalidChannel', { channel: null });
    await expectRefused(phone.put('/customer/consent', {}), 'InvalidChannel', { channel: null });
  });

  it('returns 422 API.CustomerChannelConsents.InvalidChannel for the channel master', () =>
    expectRefused(putConsent('master', 'revoked'), 'InvalidChannel', { channel: 'master' }));

  it.each(['GRANTED', 'off', '', 0, false, null, ['revoked'], { state: 'revoked' }])(
    'returns 422 API.CustomerChannelConsents.InvalidState for %j',
    async (state) => {
      await expectRefused(putConsent('sms', state), 'InvalidState', { state });
      await expectRefused(putMaster(state), 'InvalidState', { state });
    },
  );

  it('returns 422 API.CustomerChannelConsents.InvalidState for an absent state', async () => {
    await expectRefused(phone.put('/customer/consent', { channel: 'sms' }), 'InvalidState', { state: null });
    await expectRefused(phone.put('/customer/consents/master', {}), 'InvalidState', { state: null });
  });

  const CALLS: readonly (readonly [string, (client: Client) => Promise<Reply>])[] = [
    ['GET /customer/consents', (client) => client.get('/customer/consents')],
    ['GET /customer/consents/history', (client) => client.get('/customer/consents/history')],
    ['PUT /customer/consent', (client) => putConsent('sms', 'revoked', client)],
    ['PUT /customer/consent with an unknown channel', (client) => putConsent('fax', 'revoked', client)],
    ['PUT /customer/consents/master', (client) => putMaster('revoked', client)],
  ];

  it.each(CALLS)(
    'returns 422 API.CustomerChannelConsents.CustomerRequired for %s in an anonymous session',
    async (_, call) => {
      const { status, body } = await call(await signIn());
      expect([status, body]).toEqual([422, { errors: { [AREA]: [`API.${AREA}.CustomerRequired`] } }]);
      expect(await readHistoryRows()).toEqual([]);
    },
  );

  it.each(CALLS)('returns 401 for %s with the token of the app', async (_, call) => {
    const { status, body } = await call(shop);
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Invalid' } }]);
  });

  it.each(['granted', [], null])('returns 400 for a body that is not an object: %j', async (body) => {
    expect((await phone.put('/customer/consent', body)).status).toBe(400);
    expect((await phone.put('/customer/consents/master', body)).status).toBe(400);
  });
});

describe('the consent history', () => {
  it('rejects an entry that changes no state', async () => {
    await putConsent('sms', 'revoked');
    const insertAgain = `insert into customer_consent_changes
      (app_id, customer_id, channel, step, from_state, to_state, source, changed_at)
      select app_id, customer_id, channel, step + $2, from_state, to_state, source, changed_at
      from customer_consent_changes where app_id = $1`;
    await expect(api.database.rows(insertAgain, [shop.appId, 0])).rejects.toThrow('customer_consent_changes_step_key');
    await expect(api.database.rows(insertAgain, [shop.appId, 1])).rejects.toThrow(
      'customer_consent_changes_real_check',
    );
  });
});

describe('GET /customer/consents/history', () => {
  const readHistory = async (query = '', client = phone) =>
    dataOf(await client.get(`/customer/consents/history${query}`));

  it('lists every change, oldest first', async () => {
    expect(await readHistory()).toEqual([]);
    const firstChangedAt = now();
    await putConsent('sms', 'revoked');
    api.clock.forward({ seconds: 30 });
    await putMaster('revoked');
    await putConsent('sms', 'granted');
    const commonFields = { id: expect.any(Number), customer_id: customer.customer_id, source: 'mobile_app' };
    expect(await readHistory()).toEqual([
      { ...commonFields, channel: 'sms', from: 'granted', to: 'revoked', changed_at: firstChangedAt },
      { ...commonFields, channel: 'master', from: 'granted', to: 'revoked', changed_at: now() },
      { ...commonFields, channel: 'sms', from: 'revoked', to: 'granted', changed_at: now() },
    ]);
  });

  it('shows earlier changes unaltered', async () => {
    await putConsent('sms', 'revoked');
    const historyBefore = await readHistory();
    await putConsent('sms', 'granted');
    await putMaster('revoked');
    expect((await readHistory()).slice(0, 1)).toEqual(historyBefore);
  });

  it('lists only changes of the signed-in customer', async () => {
    await putConsent('sms', 'revoked');
    const otherPhone = await signIn(await newCustomer(shop, 'ana@example.com'));
    expect(await readHistory('', otherPhone)).toEqual([]);
  });

  it('returns 30 changes per page by default and for invalid limits', async () => {
    for (let index = 0; index < 33; index += 1) await putConsent('sms', index % 2 === 0 ? 'revoked' : 'granted');
    const listIds = async (query: string) => (await readHistory(query)).map(({ id }: { id: number }) => id);
    const allIds = await listIds('?limit=99999');
    expect(allIds).toEqual([...allIds].sort((a: number, b: number) => a - b));
    expect(allIds).toHaveLength(33);
    expect(await listIds('')).toEqual(allIds.slice(0, 30));
    expect(await listIds('?offset=30')).toEqual(allIds.slice(30));
    expect(await listIds('?offset=2&limit=3')).toEqual(allIds.slice(2, 5));
    for (const limit of ['0', '-1', 'x', '']) expect(await listIds(`?limit=${limit}`)).toEqual(allIds.slice(0, 30));
  });
});

describe('GET /customers/{id}/consents', () => {
  const consentPath = (at = '', { customer_id: id, data_part, time_part } = customer): string =>
    `/customers/${id}/consents?dataPart=${data_part}&timePart=${time_part}${at && `&at=${at}`}`;
  const readConsentAt = async (moment = '') => dataOf(await shop.get(consentPath(moment)));
  const forwardHour = () => api.clock.forward({ hours: 1 });

  it('shows states, effective channels and evidence at the requested time', async () => {
    const registeredAt = now();
    forwardHour();
    await putConsent('sms', 'revoked');
    const smsRevokedAt = now();
    forwardHour();
    await putMaster('revoked');
    const masterRevokedAt = now();
    forwardHour();
    await putConsent('sms', 'granted');
    await putMaster('granted');
    const grantedAt = now();
    const [smsRevocation, masterRevocation, smsGrant, masterGrant] = dataOf(
      await phone.get('/customer/consents/history'),
    );
    const unchangedChannel = { state: 'granted', effective: true, evidence: null };
    const customerFields = { customer_id: customer.customer_id, registered_at: registeredAt };
    const channels = {
      email: unchangedChannel,
      sms: unchangedChannel,
      push: unchangedChannel,
      viber: unchangedChannel,
    };

    expect(await readConsentAt(registeredAt)).toEqual({
      ...customerFields,
      at: registeredAt,
      master: { state: 'granted', evidence: null },
      channels,
    });
    expect(await readConsentAt(smsRevokedAt)).toEqual({
      ...customerFields,
      at: smsRevokedAt,
      master: { state: 'granted', evidence: null },
      channels: { ...channels, sms: { state: 'revoked', effective: false, evidence: smsRevocation } },
    });
    const ineffectiveChannel = { ...unchangedChannel, effective: false };
    expect(await readConsentAt(masterRevokedAt)).toEqual({
      ...customerFields,
      at: masterRevokedAt,
      master: { state: 'revoked', evidence: masterRevocation },
      channels: {
        email: ineffectiveChannel,
        push: ineffectiveChannel,
        viber: ineffectiveChannel,
        sms: { state: 'revoked', effective: false, evidence: smsRevocation },
      },
    });
    const lastConsent = {
      ...customerFields,
      master: { state: 'granted', evidence: masterGrant },
      channels: { ...channels, sms: { state: 'granted', effective: true, evidence: smsGrant } },
    };
    expect(await readConsentAt(grantedAt)).toEqual({ ...lastConsent, at: grantedAt });
    forwardHour();
    expect(await readConsentAt()).toEqual({ ...lastConsent, at: now() });
    expect(await readConsentAt('2999-01-01')).toEqual({ ...lastConsent, at: '2999-01-01T00:00:00' });
  });

  it('includes changes within the requested second', async () => {
    api.clock.forward({ hours: 1, seconds: 0.9 });
    await putConsent('sms', 'revoked');
    const changedAt = api.clock.now();
    const previousSecond = new Date(changedAt.getTime() - 1_000);
    expect((await readConsentAt(formatSecond(previousSecond))).channels.sms).toEqual({
      state: 'granted',
      effective: true,
      evidence: null,
    });
    expect((await readConsentAt(formatSecond(changedAt))).channels.sms.state).toBe('revoked');
    expect((await readConsentAt(`${formatSecond(changedAt)}%2B01:00`)).channels.sms.evidence).toBeNull();
  });

  it('returns null states before the registration', async () => {
    const unknownState = { state: null, effective: false, evidence: null };
    expect(await readConsentAt('2020-01-01')).toMatchObject({
      at: '2020-01-01T00:00:00',
      master: { state: null, evidence: null },
      channels: { email: unknownState, sms: unknownState, push: unknownState, viber: unknownState },
    });
  });

  it.each(['yesterday', '2026-02-30', '2026-11-21T25:00:00'])('refuses the invalid time %s', async (moment) => {
    expect((await shop.get(consentPath(moment))).status).toBe(400);
  });

  it('requires data_part and time_part with the id', async () => {
    expect((await shop.get(`/customers/${customer.customer_id}/consents`)).status).toBe(400);
    expect((await shop.get(`/customers/${customer.customer_id}/consents?dataPart=1`)).status).toBe(400);
  });

  it.each([
    ['another data_part', { data_part: 65 }],
    ['another time_part', { time_part: 1 }],
    ['another id', { customer_id: 987_654_321 }],
  ])('returns 404 for %s', async (_, parts) => {
    const { status, text } = await shop.get(consentPath('', { ...customer, ...parts }));
    expect([status, text]).toEqual([404, '']);
  });

  it('returns 401 for the token of a session', async () => {
    expect((await phone.get(consentPath())).status).toBe(401);
  });
});

import { createHash } from 'node:crypto';
import { BASE_PATH } from '../http/base-path.js';
import { explainStatement } from '@back-office/database-postgres/testing';
import { RawHttp } from '../testing/raw-http.js';
import { newCustomer, startSession } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  http = new RawHttp(api.origin);
});
afterAll(async () => {
  http.close();
  await api.close();
});
beforeEach(async () => {
  shop = await api.app();
});

const DEVICE = { uuid: '9b2f-1' };
const postSession = (session: object = {}, client = shop): Promise<Reply> =>
  client.post('/sessions', { session: { device: DEVICE, ...session } });
// eslint-disable-next-line typescript/no-explicit-any
const createSession = async (session: object = {}, client = shop): Promise<any> => {
  const { status, body } = await postSession(session, client);
  expect([status, Object.keys(body.data ?? body)]).toEqual([201, ['id', 'access_token', 'expires_at', 'customer_id']]);
  return body.data;
};
const clientWithToken = (token: string, client = shop): Client => api.withOrigins({ ...client, token }, [api.origin]);
const VISITS_PATH = '/customer/attendances';
const failureOf = async (token: string, path = VISITS_PATH): Promise<unknown> => {
  const { status, body } = await clientWithToken(token).get(path);
  expect(status).toBe(401);
  return body.errors.token;
};
const readTokens = () =>
  api.database.rows<Record<string, unknown>>('select * from access_tokens where app_id = $1 order by id', [shop.appId]);
const timeAfter = (seconds: number): string =>
  new Date(api.clock.now().getTime() + seconds * 1_000).toISOString().slice(0, 19);

describe('POST /sessions', () => {
  it('starts a session of a customer by customer_id, data_part and time_part', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const session = await createSession(customer);
    expect(session).toMatchObject({ id: expect.any(Number), customer_id: customer.customer_id });
    expect((await clientWithToken(session.access_token).get(VISITS_PATH)).body).toEqual({ data: [] });
  });

  it('starts a session of a customer by external reference', async () => {
    const { body } = await shop.post('/customers', {
      customer: { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm-1' },
    });
    expect(await createSession({ customer_external_ref: 'crm-1' })).toMatchObject({ customer_id: body.data.id });
  });

  it.each([{}, { customer_id: null }, { customer_external_ref: null }, { customer_external_ref: '' }])(
    'starts an anonymous session for %j',
    async (session) => {
      const { access_token: token, customer_id: id } = await createSession(session);
      expect(id).toBeNull();
      expect((await clientWithToken(token).delete('/sessions/current')).status).toBe(204);
    },
  );

  it('returns a 256-bit token and stores only its SHA-256', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => createSession()));
    const accessTokens = sessions.map(({ access_token: token }) => String(token));
    expect(new Set(accessTokens).size).toBe(20);
    for (const token of accessTokens) expect(token).toMatch(/^bo_session_\d+_[\w-]{43}$/);
    const sessionRows = (await readTokens()).filter(({ kind }) => kind === 'session');
    const hashes = accessTokens.map((token) => createHash('sha256').update(token).digest('hex'));
    expect(sessionRows.map(({ token_hash: hash }) => (hash as Buffer).toString('hex')).sort()).toEqual(hashes.sort());
    expect(JSON.stringify(sessionRows)).not.toContain(accessTokens[0]?.slice(-43));
  });

  it('is not replayed for an Idempotency-Key, because tokens are not stored', async () => {
    const keyedShop = shop.keyed('once');
    const [firstSession, secondSession] = [await createSession({}, keyedShop), await createSession({}, keyedShop)];
    expect(secondSession.id).not.toBe(firstSession.id);
    expect(await api.database.rows('select 1 from idempotency_keys where app_id = $1', [shop.appId])).toEqual([]);
  });

  it('stores the device with or without details', async () => {
    const device = { ...DEVICE, device_type: 'ios', device_vendor: 'Apple', mobile_info: 'iPhone 17' };
    await createSession({ device });
    await createSession({ device: { ...DEVICE, device_type: null, device_vendor: '', mobile_info: null } });
    const storedFields = { device_uuid: DEVICE.uuid, firebase_token: null };
    expect((await readTokens()).filter(({ kind }) => kind === 'session')).toMatchObject([
      { ...storedFields, device_type: 'ios', device_vendor: 'Apple', mobile_info: 'iPhone 17' },
      { ...storedFields, device_type: null, device_vendor: null, mobile_info: null },
    ]);
  });
});

describe('the customer of POST /sessions', () => {
  const CUSTOMER_NOT_FOUND = [422, { errors: { Customers: ['API.Customers.NotFound'] } }];
  const postAndRead = async (session: object): Promise<unknown> => {
    const { status, body } = await postSession(session);
    return [status, body];
  };

  it.each([
    ['another data_part', { data_part: 65 }],
    ['another time_part', { time_part: 1 }],
    ['another id', { customer_id: 987_654_321 }],
    ['an id below 1', { customer_id: -1 }],
  ])('is not found with %s', async (_, wrongIdentifiers) => {
    const customer = await newCustomer(shop, 'mira@example.com');
    expect(await postAndRead({ ...customer, ...wrongIdentifiers })).toEqual(CUSTOMER_NOT_FOUND);
    expect((await readTokens()).filter(({ kind }) => kind === 'session')).toEqual([]);
  });

  it('is not found by an unknown, blank or differently cased reference', async () => {
    const customer = { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm' };
    await shop.post('/customers', { customer });
    for (const reference of ['unknown', 'CRM', ' crm', ' ']) {
      expect(await postAndRead({ customer_external_ref: reference })).toEqual(CUSTOMER_NOT_FOUND);
    }
  });

  it('is not found in another app', async () => {
    const otherApp = await api.app();
    const customer = await newCustomer(otherApp, 'mira@example.com');
    await otherApp.post('/customers', {
      customer: { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm' },
    });
    expect(await postAndRead(customer)).toEqual(CUSTOMER_NOT_FOUND);
    expect(await postAndRead({ customer_external_ref: 'crm' })).toEqual(CUSTOMER_NOT_FOUND);
  });

  it('is found by id rather than by reference', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    expect(await createSession({ ...customer, customer_external_ref: 'unknown' })).toMatchObject({
      customer_id: customer.customer_id,
    });
  });
});

describe('POST /sessions with an invalid session', () => {
  const longText = 'x'.repeat(256);
  it.each([
    ['no device', { device: undefined }, { device: ["can't be blank"] }],
    ['a null device', { device: null }, { device: ["can't be blank"] }],
    ['a device without uuid', { device: {} }, { 'device.uuid': ["can't be blank"] }],
    ['a blank uuid', { device: { uuid: ' ' } }, { 'device.uuid': ["can't be blank"] }],
    [
      'long device texts',
      { device: { uuid: longText, device_type: longText, device_vendor: longText, mobile_info: longText } },
      Object.fromEntries(
        ['uuid', 'device_type', 'device_vendor', 'mobile_info'].map((name) => [`device.${name}`, ['is too long']]),
      ),
    ],
    [
      'an object with NUL',
      { device: { uuid: 'a', mobile_info: { model: 'a\0b' } } },
      { 'device.mobile_info': ['is invalid'] },
    ],
    ['a customer_id without its parts', { customer_id: 1 }, { data_part: ["can't be blank"] }],
    ['a customer_id without time_part', { customer_id: 1, data_part: 1 }, { time_part: ["can't be blank"] }],
    ['an invalid language', { language: 'sr_RS' }, { language: ['is invalid'] }],
    ['a long language', { language: 'sr'.padEnd(36, '-aaaaaaa') }, { language: ['is too long'] }],
    ['NUL in a reference', { customer_external_ref: 'a\0' }, { customer_external_ref: ['is invalid'] }],
    [
      'two invalid fields',
      { device: { uuid: '' }, expires_in: 'soon' },
      { 'device.uuid': ["can't be blank"], expires_in: ['is invalid'] },
    ],
  ])('reports every invalid field of a session with %s', async (_, session, errors) => {
    const reply = await postSession(session);
    expect([reply.status, reply.body]).toEqual([422, { errors }]);
    expect((await readTokens()).filter(({ kind }) => kind === 'session')).toEqual([]);
  });

  it.each([
    [{ device: 'x' }],
    [{ device: [DEVICE] }],
    [{ device: { uuid: 5 } }],
    [{ customer_id: '1' }],
    [{ customer_id: 1.5 }],
    [{ expires_in: true }],
    [{ expires_in: 1.5 }],
    [{ language: 5 }],
  ])('refuses %j', async (session) => {
    const { status, body } = await postSession(session);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it.each([{}, { session: null }, { session: [] }, { device: DEVICE }])('refuses %j', async (body) => {
    expect((await shop.post('/sessions', body)).status).toBe(400);
  });
});

describe('the lifetime of a session', () => {
  it.each([
    [undefined, 30 * 86_400],
    [null, 30 * 86_400],
    [1, 1],
    [90, 90],
    ['1h', 3_600],
    ['12h', 12 * 3_600],
    ['30d', 30 * 86_400],
    ['3650d', 90 * 86_400],
    [3_650 * 86_400, 90 * 86_400],
  ])('equals expires_in up to 90 days: %j', async (expires_in, seconds) => {
    expect(await createSession({ expires_in })).toMatchObject({ expires_at: timeAfter(seconds) });
  });

  it.each([
    ['', 'is invalid'],
    ['30', 'is invalid'],
    ['30m', 'is invalid'],
    ['0d', 'is invalid'],
    ['-1d', 'is invalid'],
    ['1.5d', 'is invalid'],
    ['30 d', 'is invalid'],
    ['3651d', 'is invalid'],
    ['99999h', 'is invalid'],
    [3_650 * 86_400 + 1, 'is invalid'],
    [0, 'must be greater than 0'],
    [-1, 'must be greater than 0'],
  ])('is refused as expires_in %j: %s', async (expires_in, rule) => {
    const { status, body } = await postSession({ expires_in });
    expect([status, body]).toEqual([422, { errors: { expires_in: [rule] } }]);
  });

  it('ends at expires_at', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const { access_token: token } = await createSession({ ...customer, expires_in: 60 });
    api.clock.forward({ seconds: 59 });
    expect((await clientWithToken(token).get(VISITS_PATH)).status).toBe(200);
    api.clock.forward({ seconds: 1 });
    expect(await failureOf(token)).toBe('API.Tokens.Expired');
  });
});

describe('the language of a session', () => {
  const farPosition = { latitude: 0, longitude: 0 };
  const readRefusalText = async (session: object): Promise<unknown> => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const { access_token: token } = await createSession({ ...customer, ...session });
    const { status, body } = await clientWithToken(token).post('/customer/attendance', { attendance: farPosition });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['CustomerAttendances']]);
    return body.errors.CustomerAttendances[0];
  };

  beforeEach(async () => {
    const key = 'API.CustomerAttendances.NoLocationNearby';
    const translations = { sr: { [key]: 'Nema prodavnice' }, de: { [key]: 'Kein Laden' } };
    await shop.patch('/app/settings', { default_language: 'sr', translations });
  });

  it('is the requested language', async () => {
    expect(await readRefusalText({ language: 'de' })).toBe('Kein Laden');
  });

  it.each([undefined, null])("is the app's default for %j", async (language) => {
    expect(await readRefusalText({ language })).toBe('Nema prodavnice');
  });

  it('keeps message keys without translations', async () => {
    expect(await readRefusalText({ language: 'fr' })).toBe('API.CustomerAttendances.NoLocationNearby');
  });
});

describe('DELETE /sessions/current', () => {
  it('immediately ends this session, and no other', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const [endedSession, otherSession] = [await createSession(customer), await createSession(customer)];
    for (const { access_token: token } of [endedSession, otherSession])
      expect((await clientWithToken(token).get(VISITS_PATH)).status).toBe(200);
    const { status, text } = await clientWithToken(endedSession.access_token).delete('/sessions/current');
    expect([status, text]).toEqual([204, '']);
    expect(await failureOf(endedSession.access_token)).toBe('API.Tokens.Revoked');
    // The cache entry of the other token expires within 2 s, so the next call reads the token from the database.
    api.clock.forward({ seconds: 2 });
    expect((await clientWithToken(otherSession.access_token).get(VISITS_PATH)).status).toBe(200);
  });

  it('ends an anonymous session', async () => {
    const token = await startSession(shop);
    expect((await clientWithToken(token).delete('/sessions/current')).status).toBe(204);
    const { status, body } = await clientWithToken(token).delete('/sessions/current');
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Revoked' } }]);
  });

  it('keeps the token of the app', async () => {
    const token = await startSession(shop);
    await clientWithToken(token).delete('/sessions/current');
    expect((await shop.get('/app/settings')).status).toBe(200);
  });
});

describe('POST /session/firebase/token', () => {
  let phone: Client;

  beforeEach(async () => {
    phone = clientWithToken(await startSession(shop, await newCustomer(shop, 'mira@example.com')));
  });

  const storePushToken = (firebase_token?: unknown, client = phone): Promise<Reply> =>
    client.post('/session/firebase/token', { firebase_token });
  const readPushTokens = async () =>
    (await readTokens()).map(({ firebase_token: token }) => token).filter((token) => token !== null);

  it('stores the push token only in the calling session', async () => {
    const customer = await newCustomer(shop, 'ana@example.com');
    const [firstToken, secondToken] = [await startSession(shop, customer), await startSession(shop, customer)];
    const { status, text } = await storePushToken('push-1', clientWithToken(secondToken));
    expect([status, text]).toEqual([204, '']);
    const hash = createHash('sha256').update(secondToken).digest();
    expect((await readTokens()).filter(({ firebase_token: token }) => token !== null)).toMatchObject([
      { token_hash: hash, firebase_token: 'push-1' },
    ]);
    await storePushToken('push-2', clientWithToken(firstToken));
    expect(new Set(await readPushTokens())).toEqual(new Set(['push-1', 'push-2']));
  });

  it('stores a push token that is removed when the session ends', async () => {
    await storePushToken('push-1');
    expect((await phone.delete('/sessions/current')).status).toBe(204);
    expect(await readPushTokens()).toEqual([]);
  });

  it('accepts 4,096 characters, however many bytes they have', async () => {
    for (const token of ['x'.repeat(4_096), '😀'.repeat(4_096)]) {
      expect((await storePushToken(token)).status).toBe(204);
      expect(await readPushTokens()).toEqual([token]);
    }
  });

  it.each([
    ['a blank token', ' '],
    ['an empty token', ''],
    ['no token', undefined],
    ['null', null],
    ['4,097 characters', 'x'.repeat(4_097)],
    ['a token with NUL', 'a\0b'],
    ['a lone surrogate', '\ud800'],
    ['a number', 5],
    ['a list', ['push']],
    ['an object', { push: 1 }],
  ])('answers 422 API.Tokens.Firebase.UnableToUpdate for %s and keeps the earlier token', async (_, token) => {
    await storePushToken('push-1');
    const { status, body } = await storePushToken(token);
    expect([status, body]).toEqual([422, { errors: { Tokens: ['API.Tokens.Firebase.UnableToUpdate'] } }]);
    expect(await readPushTokens()).toEqual(['push-1']);
  });

  it('answers 422 API.Tokens.Firebase.UnableToUpdate when another process has just ended the session', async () => {
    await storePushToken('push-1');
    await api.database.rows(`update access_tokens set revoked_at = $2 where app_id = $1 and kind = 'session'`, [
      shop.appId,
      api.clock.now(),
    ]);
    const { status, body } = await storePushToken('push-2');
    expect([status, body]).toEqual([422, { errors: { Tokens: ['API.Tokens.Firebase.UnableToUpdate'] } }]);
    expect(await readPushTokens()).toEqual(['push-1']);
  });

  it('answers 401 for the token of the app and of an anonymous session', async () => {
    const anonymousClient = clientWithToken(await startSession(shop));
    for (const client of [shop, anonymousClient]) {
      const { status, body } = await storePushToken('push-1', client);
      expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Invalid' } }]);
    }
    expect(await readPushTokens()).toEqual([]);
  });

  it.each(['push', [], null])('answers 400 for a body that is not an object: %j', async (body) => {
    expect((await phone.post('/session/firebase/token', body)).status).toBe(400);
  });
});

describe('a call', () => {
  let tokenByCaller: Record<'app' | 'anonymous' | 'customer', string>;

  beforeEach(async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    tokenByCaller = {
      app: shop.token,
      anonymous: await startSession(shop),
      customer: await startSession(shop, customer),
    };
  });

  const collectAnswers = async (kind: string, token: string | undefined): Promise<string[]> => {
    const routes = api.container.get(TOKENS.Routes).filter(({ caller }) => caller === kind);
    expect(routes.length).toBeGreaterThan(0);
    const replies = routes.map(({ method, path }) =>
      http.call({
        method: method.toUpperCase(),
        path: BASE_PATH + path.replaceAll(/:\w+/g, '1'),
        headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
        body: '{"cut":',
      }),
    );
    return [...new Set((await Promise.all(replies)).map(({ status, text }) => (status === 401 ? text : 'admitted')))];
  };
  const INVALID = '{"errors":{"token":"API.Tokens.Invalid"}}';

  it.each([
    ['app', 'anonymous', INVALID],
    ['app', 'customer', INVALID],
    ['app', 'app', 'admitted'],
    ['customer', 'app', INVALID],
    ['customer', 'anonymous', INVALID],
    ['customer', 'customer', 'admitted'],
    ['session', 'app', INVALID],
    ['session', 'anonymous', 'admitted'],
    ['session', 'customer', 'admitted'],
  ] as const)('for callers of kind %s, with the token of %s, is answered: %s', async (kind, caller, answer) => {
    expect(await collectAnswers(kind, tokenByCaller[caller])).toEqual([answer]);
  });

  it.each(['customer', 'session'])('for callers of kind %s is refused without a token', async (kind) => {
    expect(await collectAnswers(kind, undefined)).toEqual(['{"errors":{"token":"API.Tokens.Missing"}}']);
  });

  it('of a session is limited to its app', async () => {
    const otherApp = await api.app();
    const customer = await newCustomer(otherApp, 'mira@example.com');
    const token = await startSession(otherApp, customer);
    await otherApp.post('/int/app_locations', { app_locations: [{ name: 'A', latitude: 1, longitude: 1 }] });
    const visitAt = (accessToken: string) =>
      clientWithToken(accessToken).post('/customer/attendance', { attendance: { latitude: 1, longitude: 1 } });
    expect((await visitAt(token)).status).toBe(201);
    expect((await visitAt(tokenByCaller.customer)).status).toBe(422);
    expect((await clientWithToken(tokenByCaller.customer).get(VISITS_PATH)).body).toEqual({ data: [] });
  });
});

describe('an ended session', () => {
  const purgeEnded = () => api.container.get(TOKENS.Database).sessions.purgeEnded();
  const sessionsOf = async (client = shop) =>
    (
      await api.database.rows<{ id: number }>(
        `select id from access_tokens where app_id = $1 and kind = 'session' order by id`,
        [client.appId],
      )
    ).map(({ id }) => id);

  it('is removed after 30 days, while sessions that ended later stay', async () => {
    await shop.patch('/app/settings', { sessions: { idle_days: 60 } });
    const expiredSession = await createSession({ expires_in: '1h' });
    const endedSession = await createSession();
    await clientWithToken(endedSession.access_token).delete('/sessions/current');
    api.clock.forward({ hours: 2 });
    const laterSession = await createSession({ expires_in: '1h' });
    const activeSession = await createSession({ expires_in: '40d' });
    api.clock.forward({ hours: 30 * 24 - 1, seconds: 1 });
    expect(await failureOf(expiredSession.access_token)).toBe('API.Tokens.Expired');
    expect(await failureOf(endedSession.access_token)).toBe('API.Tokens.Revoked');
    await purgeEnded();
    expect(await sessionsOf()).toEqual([laterSession.id, activeSession.id]);
    api.clock.forward({ seconds: 2 });
    expect(await failureOf(expiredSession.access_token)).toBe('API.Tokens.Invalid');
    expect(await failureOf(endedSession.access_token)).toBe('API.Tokens.Invalid');
    expect(await failureOf(laterSession.access_token)).toBe('API.Tokens.Expired');
    expect((await clientWithToken(activeSession.access_token).delete('/sessions/current')).status).toBe(204);
  });

  it('is kept for 30 days after its end', async () => {
    const { id } = await createSession({ expires_in: 60 });
    api.clock.forward({ hours: 30 * 24, seconds: 60 });
    await purgeEnded();
    expect(await sessionsOf()).toEqual([id]);
    api.clock.forward({ seconds: 1 });
    await purgeEnded();
    expect(await sessionsOf()).toEqual([]);
  });

  it('is removed, while visits of the customer and tokens of the app stay', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    await shop.post('/int/app_locations', { app_locations: [{ name: 'A', latitude: 1, longitude: 1 }] });
    const firstSession = await createSession(customer);
    const visitBody = { attendance: { latitude: 1, longitude: 1 } };
    const visitReply = await clientWithToken(firstSession.access_token)
      .keyed('visit')
      .post('/customer/attendance', visitBody);
    expect(visitReply.status).toBe(201);
    await api.database.rows(`update access_tokens set expires_at = $2 where app_id = $1 and kind = 'app'`, [
      shop.appId,
      api.clock.now(),
    ]);
    api.clock.forward({ hours: 61 * 24 });
    await purgeEnded();
    expect((await readTokens()).map(({ kind }) => kind)).toEqual(['app']);
    await api.database.rows(`update access_tokens set expires_at = null where app_id = $1`, [shop.appId]);
    api.clock.forward({ seconds: 2 });
    const secondSession = await createSession(customer);
    expect((await clientWithToken(secondSession.access_token).get(VISITS_PATH)).body.data).toEqual([
      visitReply.body.data,
    ]);
  });

  it('is found by index in all apps, and removed in batches', async () => {
    const otherApp = await api.app();
    const insertSessions = `
      insert into access_tokens (app_id, kind, token_hash, inserted_at, expires_at)
      select $1, 'session', sha256(($1::bigint || '/' || n)::bytea), $2, $2 from generate_series(1, $3::int) as n`;
    await api.database.rows(insertSessions, [shop.appId, api.clock.now(), 4_000]);
    await api.database.rows(insertSessions, [otherApp.appId, api.clock.now(), 2_000]);
    await api.database.source.query('analyze access_tokens');
    api.clock.forward({ hours: 30 * 24, seconds: 1 });
    api.statements.length = 0;
    expect([await purgeEnded(), await purgeEnded()]).toEqual([true, false]);
    expect([await sessionsOf(), await sessionsOf(otherApp)]).toEqual([[], []]);
    const [findStatement = ''] = api.statements;
    expect(await explainStatement(api.database, findStatement, [api.clock.now()])).toContain(
      'Index Scan using access_tokens_ended_idx',
    );
  });
});

import { createHash } from 'node:crypto';
import { BASE_PATH } from '../http/base-path.js';
import { planOf } from '../testing/plan-of.js';
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
const start = (session: object = {}, client = shop): Promise<Reply> =>
  client.post('/sessions', { session: { device: DEVICE, ...session } });
// eslint-disable-next-line typescript/no-explicit-any
const started = async (session: object = {}, client = shop): Promise<any> => {
  const { status, body } = await start(session, client);
  expect([status, Object.keys(body.data ?? body)]).toEqual([201, ['id', 'access_token', 'expires_at', 'customer_id']]);
  return body.data;
};
/** The calls of a session. */
const holding = (token: string, client = shop): Client => api.through({ ...client, token }, [api.origin]);
const VISITS = '/customer/attendances';
const failureOf = async (token: string, path = VISITS): Promise<unknown> => {
  const { status, body } = await holding(token).get(path);
  expect(status).toBe(401);
  return body.errors.token;
};
const tokens = () =>
  api.database.rows<Record<string, unknown>>('select * from access_tokens where app_id = $1 order by id', [shop.appId]);
const inSeconds = (seconds: number): string =>
  new Date(api.clock.now().getTime() + seconds * 1_000).toISOString().slice(0, 19);

describe('POST /sessions', () => {
  it('starts the session of a customer, named by the three parts of the id', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const session = await started(customer);
    expect(session).toMatchObject({ id: expect.any(Number), customer_id: customer.customer_id });
    expect((await holding(session.access_token).get(VISITS)).body).toEqual({ data: [] });
  });

  it('starts the session of a customer, named by the own reference', async () => {
    const { body } = await shop.post('/customers', {
      customer: { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm-1' },
    });
    expect(await started({ customer_external_ref: 'crm-1' })).toMatchObject({ customer_id: body.data.id });
  });

  it.each([{}, { customer_id: null }, { customer_external_ref: null }, { customer_external_ref: '' }])(
    'without a customer, as in %j, starts an anonymous one',
    async (session) => {
      const { access_token: token, customer_id: id } = await started(session);
      expect(id).toBeNull();
      expect((await holding(token).delete('/sessions/current')).status).toBe(204);
    },
  );

  it('gives a token of 256 random bits, and keeps its SHA-256 alone', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => started()));
    const given = sessions.map(({ access_token: token }) => String(token));
    expect(new Set(given).size).toBe(20);
    for (const token of given) expect(token).toMatch(/^bo_session_[\w-]{43}$/);
    const stored = (await tokens()).filter(({ kind }) => kind === 'session');
    const hashes = given.map((token) => createHash('sha256').update(token).digest('hex'));
    expect(stored.map(({ token_hash: hash }) => (hash as Buffer).toString('hex')).sort()).toEqual(hashes.sort());
    expect(JSON.stringify(stored)).not.toContain(given[0]?.slice('bo_session_'.length));
  });

  it('is not repeated for an Idempotency-Key: its answer is a secret that nobody keeps', async () => {
    const keyed = shop.keyed('once');
    const [first, second] = [await started({}, keyed), await started({}, keyed)];
    expect(second.id).not.toBe(first.id);
    expect(await api.database.rows('select 1 from idempotency_keys where app_id = $1', [shop.appId])).toEqual([]);
  });

  it('names the device, with or without its details', async () => {
    const device = { ...DEVICE, device_type: 'ios', device_vendor: 'Apple', mobile_info: 'iPhone 17' };
    await started({ device });
    await started({ device: { ...DEVICE, device_type: null, device_vendor: '', mobile_info: null } });
    const named = { device_uuid: DEVICE.uuid, firebase_token: null };
    expect((await tokens()).filter(({ kind }) => kind === 'session')).toMatchObject([
      { ...named, device_type: 'ios', device_vendor: 'Apple', mobile_info: 'iPhone 17' },
      { ...named, device_type: null, device_vendor: null, mobile_info: null },
    ]);
  });
});

describe('POST /sessions, the customer', () => {
  const MISSING = [422, { errors: { Customers: ['API.Customers.NotFound'] } }];
  const outcome = async (session: object): Promise<unknown> => {
    const { status, body } = await start(session);
    return [status, body];
  };

  it.each([
    ['another data_part', { data_part: 65 }],
    ['another time_part', { time_part: 1 }],
    ['another id', { customer_id: 987_654_321 }],
    ['an id below 1', { customer_id: -1 }],
  ])('with %s is not found, and no session is started', async (_, wrong) => {
    const customer = await newCustomer(shop, 'mira@example.com');
    expect(await outcome({ ...customer, ...wrong })).toEqual(MISSING);
    expect((await tokens()).filter(({ kind }) => kind === 'session')).toEqual([]);
  });

  it('with an unknown or blank reference, or the reference in another case, is not found', async () => {
    const customer = { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm' };
    await shop.post('/customers', { customer });
    for (const reference of ['unknown', 'CRM', ' crm', ' ']) {
      expect(await outcome({ customer_external_ref: reference })).toEqual(MISSING);
    }
  });

  it('of another app is not found', async () => {
    const stranger = await api.app();
    const customer = await newCustomer(stranger, 'mira@example.com');
    await stranger.post('/customers', {
      customer: { email: 'a@example.com', first_name: 'A', last_name: 'B', external_ref: 'crm' },
    });
    expect(await outcome(customer)).toEqual(MISSING);
    expect(await outcome({ customer_external_ref: 'crm' })).toEqual(MISSING);
  });

  it('is the one of the id when a reference is sent too', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    expect(await started({ ...customer, customer_external_ref: 'unknown' })).toMatchObject({
      customer_id: customer.customer_id,
    });
  });
});

describe('Validation errors: POST /sessions', () => {
  const long = 'x'.repeat(256);
  it.each([
    ['a device that is missing', { device: undefined }, { device: ["can't be blank"] }],
    ['a device that is null', { device: null }, { device: ["can't be blank"] }],
    ['a device without uuid', { device: {} }, { 'device.uuid': ["can't be blank"] }],
    ['a blank uuid', { device: { uuid: ' ' } }, { 'device.uuid': ["can't be blank"] }],
    [
      'long texts of a device',
      { device: { uuid: long, device_type: long, device_vendor: long, mobile_info: long } },
      Object.fromEntries(
        ['uuid', 'device_type', 'device_vendor', 'mobile_info'].map((name) => [`device.${name}`, ['is too long']]),
      ),
    ],
    ['a customer_id without its parts', { customer_id: 1 }, { data_part: ["can't be blank"] }],
    ['a customer_id without time_part', { customer_id: 1, data_part: 1 }, { time_part: ["can't be blank"] }],
    ['a language that is none', { language: 'sr_RS' }, { language: ['is invalid'] }],
    ['a long language', { language: 'sr'.padEnd(36, '-aaaaaaa') }, { language: ['is too long'] }],
    ['NUL in a reference', { customer_external_ref: 'a\0' }, { customer_external_ref: ['is invalid'] }],
    [
      'two at once',
      { device: { uuid: '' }, expires_in: 'soon' },
      { 'device.uuid': ["can't be blank"], expires_in: ['is invalid'] },
    ],
  ])('%s: every failing field under its own name', async (_, session, errors) => {
    const reply = await start(session);
    expect([reply.status, reply.body]).toEqual([422, { errors }]);
    expect((await tokens()).filter(({ kind }) => kind === 'session')).toEqual([]);
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
  ])('%j cannot be read', async (session) => {
    const { status, body } = await start(session);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it.each([{}, { session: null }, { session: [] }, { device: DEVICE }])('%j cannot be read', async (body) => {
    expect((await shop.post('/sessions', body)).status).toBe(400);
  });
});

describe('the time that a session lasts', () => {
  it.each([
    [undefined, 30 * 86_400],
    [null, 30 * 86_400],
    [1, 1],
    [90, 90],
    ['1h', 3_600],
    ['12h', 12 * 3_600],
    ['30d', 30 * 86_400],
    ['3650d', 3_650 * 86_400],
    [3_650 * 86_400, 3_650 * 86_400],
  ])('expires_in %j is as long', async (expires_in, seconds) => {
    expect(await started({ expires_in })).toMatchObject({ expires_at: inSeconds(seconds) });
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
  ])('expires_in %j is refused: %s', async (expires_in, rule) => {
    const { status, body } = await start({ expires_in });
    expect([status, body]).toEqual([422, { errors: { expires_in: [rule] } }]);
  });

  it('is over at its end', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const { access_token: token } = await started({ ...customer, expires_in: 60 });
    api.clock.forward({ seconds: 59 });
    expect((await holding(token).get(VISITS)).status).toBe(200);
    api.clock.forward({ seconds: 1 });
    expect(await failureOf(token)).toBe('API.Tokens.Expired');
  });
});

describe('the language of a session', () => {
  const nobody = { latitude: 0, longitude: 0 };
  const said = async (session: object): Promise<unknown> => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const { access_token: token } = await started({ ...customer, ...session });
    const { status, body } = await holding(token).post('/customer/attendance', { attendance: nobody });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['CustomerAttendances']]);
    return body.errors.CustomerAttendances[0];
  };

  beforeEach(async () => {
    const key = 'API.CustomerAttendances.NoLocationNearby';
    const translations = { sr: { [key]: 'Nema prodavnice' }, de: { [key]: 'Kein Laden' } };
    await shop.patch('/app/settings', { default_language: 'sr', translations });
  });

  it('is its own', async () => {
    expect(await said({ language: 'de' })).toBe('Kein Laden');
  });

  it.each([undefined, null])("is the app's when it is %j", async (language) => {
    expect(await said({ language })).toBe('Nema prodavnice');
  });

  it('that the app does not speak leaves the key', async () => {
    expect(await said({ language: 'fr' })).toBe('API.CustomerAttendances.NoLocationNearby');
  });
});

describe('DELETE /sessions/current', () => {
  it('ends the session at once, and this one alone', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const [one, other] = [await started(customer), await started(customer)];
    for (const { access_token: token } of [one, other]) expect((await holding(token).get(VISITS)).status).toBe(200);
    const { status, text } = await holding(one.access_token).delete('/sessions/current');
    expect([status, text]).toEqual([204, '']);
    expect(await failureOf(one.access_token)).toBe('API.Tokens.Revoked');
    // By then what is remembered of the other is asked for again.
    api.clock.forward({ seconds: 2 });
    expect((await holding(other.access_token).get(VISITS)).status).toBe(200);
  });

  it('ends an anonymous session', async () => {
    const token = await startSession(shop);
    expect((await holding(token).delete('/sessions/current')).status).toBe(204);
    const { status, body } = await holding(token).delete('/sessions/current');
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Revoked' } }]);
  });

  it('leaves the token of the app as it is', async () => {
    const token = await startSession(shop);
    await holding(token).delete('/sessions/current');
    expect((await shop.get('/app/settings')).status).toBe(200);
  });
});

describe('POST /session/firebase/token', () => {
  let phone: Client;

  beforeEach(async () => {
    phone = holding(await startSession(shop, await newCustomer(shop, 'mira@example.com')));
  });

  const store = (firebase_token?: unknown, client = phone): Promise<Reply> =>
    client.post('/session/firebase/token', { firebase_token });
  const stored = async () =>
    (await tokens()).map(({ firebase_token: token }) => token).filter((token) => token !== null);

  it('stores the push token with the session of the call, and with no other', async () => {
    const customer = await newCustomer(shop, 'ana@example.com');
    const [one, other] = [await startSession(shop, customer), await startSession(shop, customer)];
    const { status, text } = await store('push-1', holding(other));
    expect([status, text]).toEqual([204, '']);
    const hash = createHash('sha256').update(other).digest();
    expect((await tokens()).filter(({ firebase_token: token }) => token !== null)).toMatchObject([
      { token_hash: hash, firebase_token: 'push-1' },
    ]);
    await store('push-2', holding(one));
    expect(new Set(await stored())).toEqual(new Set(['push-1', 'push-2']));
  });

  it('puts a new push token in place of the earlier one', async () => {
    await store('push-1');
    expect((await store('push-2')).status).toBe(204);
    expect(await stored()).toEqual(['push-2']);
  });

  it('is forgotten with the end of the session', async () => {
    await store('push-1');
    expect((await phone.delete('/sessions/current')).status).toBe(204);
    expect(await stored()).toEqual([]);
  });

  it('takes 4,096 characters, however many bytes they are', async () => {
    for (const token of ['x'.repeat(4_096), '😀'.repeat(4_096)]) {
      expect((await store(token)).status).toBe(204);
      expect(await stored()).toEqual([token]);
    }
  });

  it.each([
    ['a blank one', ' '],
    ['an empty one', ''],
    ['none', undefined],
    ['null', null],
    ['one of 4,097 characters', 'x'.repeat(4_097)],
    ['one with NUL', 'a\0b'],
    ['half of a surrogate pair', '\ud800'],
    ['a number', 5],
    ['a list', ['push']],
    ['an object', { push: 1 }],
  ])('422 API.Tokens.Firebase.UnableToUpdate: %s, and the earlier one stays', async (_, token) => {
    await store('push-1');
    const { status, body } = await store(token);
    expect([status, body]).toEqual([422, { errors: { Tokens: ['API.Tokens.Firebase.UnableToUpdate'] } }]);
    expect(await stored()).toEqual(['push-1']);
  });

  it('422 API.Tokens.Firebase.UnableToUpdate: the session has just been ended elsewhere', async () => {
    await store('push-1');
    // What this node remembers of the token is up to a second old.
    await api.database.rows(`update access_tokens set revoked_at = $2 where app_id = $1 and kind = 'session'`, [
      shop.appId,
      api.clock.now(),
    ]);
    const { status, body } = await store('push-2');
    expect([status, body]).toEqual([422, { errors: { Tokens: ['API.Tokens.Firebase.UnableToUpdate'] } }]);
    expect(await stored()).toEqual(['push-1']);
  });

  it('401 with the token of the app, and in an anonymous session', async () => {
    const anonymous = holding(await startSession(shop));
    for (const client of [shop, anonymous]) {
      const { status, body } = await store('push-1', client);
      expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Invalid' } }]);
    }
    expect(await stored()).toEqual([]);
  });

  it.each(['push', [], null])('400 a body that is no object: %j', async (body) => {
    expect((await phone.post('/session/firebase/token', body)).status).toBe(400);
  });
});

describe('who may call what', () => {
  let callers: Record<'app' | 'anonymous' | 'customer', string>;

  beforeEach(async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    callers = { app: shop.token, anonymous: await startSession(shop), customer: await startSession(shop, customer) };
  });

  /** The distinct answers to all calls of a kind. Their bodies cannot be read, which is seen only after the token. */
  const answers = async (kind: string, token: string | undefined): Promise<string[]> => {
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
  ] as const)('every %s call with the token of %s: %s', async (kind, caller, answer) => {
    expect(await answers(kind, callers[caller])).toEqual([answer]);
  });

  it.each(['customer', 'session'])('every %s call without a token: missing', async (kind) => {
    expect(await answers(kind, undefined)).toEqual(['{"errors":{"token":"API.Tokens.Missing"}}']);
  });

  it('a session of one app sees nothing of another one', async () => {
    const stranger = await api.app();
    const mine = await newCustomer(stranger, 'mira@example.com');
    const token = await startSession(stranger, mine);
    await stranger.post('/int/app_locations', { app_locations: [{ name: 'A', latitude: 1, longitude: 1 }] });
    const visit = (of: string) =>
      holding(of).post('/customer/attendance', { attendance: { latitude: 1, longitude: 1 } });
    expect((await visit(token)).status).toBe(201);
    expect((await visit(callers.customer)).status).toBe(422);
    expect((await holding(callers.customer).get(VISITS)).body).toEqual({ data: [] });
  });
});

describe('a session that is over for more than 30 days', () => {
  const remove = () => api.container.get(TOKENS.Sessions).removeOver();
  const sessionsOf = async (client = shop) =>
    (
      await api.database.rows<{ id: number }>(
        `select id from access_tokens where app_id = $1 and kind = 'session' order by id`,
        [client.appId],
      )
    ).map(({ id }) => id);

  it('is removed, whether it expired or was ended; one that is not over so long stays', async () => {
    const expired = await started({ expires_in: '1h' });
    const ended = await started();
    await holding(ended.access_token).delete('/sessions/current');
    api.clock.forward({ hours: 2 });
    const later = await started({ expires_in: '1h' });
    const living = await started({ expires_in: '40d' });
    api.clock.forward({ hours: 30 * 24 - 1, seconds: 1 });
    expect(await failureOf(expired.access_token)).toBe('API.Tokens.Expired');
    expect(await failureOf(ended.access_token)).toBe('API.Tokens.Revoked');
    await remove();
    expect(await sessionsOf()).toEqual([later.id, living.id]);
    api.clock.forward({ seconds: 2 });
    expect(await failureOf(expired.access_token)).toBe('API.Tokens.Invalid');
    expect(await failureOf(ended.access_token)).toBe('API.Tokens.Invalid');
    expect(await failureOf(later.access_token)).toBe('API.Tokens.Expired');
    expect((await holding(living.access_token).delete('/sessions/current')).status).toBe(204);
  });

  it('is kept to the moment at which the 30 days are over', async () => {
    const { id } = await started({ expires_in: 60 });
    api.clock.forward({ hours: 30 * 24, seconds: 60 });
    await remove();
    expect(await sessionsOf()).toEqual([id]);
    api.clock.forward({ seconds: 1 });
    await remove();
    expect(await sessionsOf()).toEqual([]);
  });

  it('goes with nothing but itself: the visits of its customer and the tokens of the app stay', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    await shop.post('/int/app_locations', { app_locations: [{ name: 'A', latitude: 1, longitude: 1 }] });
    const first = await started(customer);
    const visit = { attendance: { latitude: 1, longitude: 1 } };
    const made = await holding(first.access_token).keyed('visit').post('/customer/attendance', visit);
    expect(made.status).toBe(201);
    await api.database.rows(`update access_tokens set expires_at = $2 where app_id = $1 and kind = 'app'`, [
      shop.appId,
      api.clock.now(),
    ]);
    api.clock.forward({ hours: 61 * 24 });
    await remove();
    expect((await tokens()).map(({ kind }) => kind)).toEqual(['app']);
    await api.database.rows(`update access_tokens set expires_at = null where app_id = $1`, [shop.appId]);
    api.clock.forward({ seconds: 2 });
    const second = await started(customer);
    expect((await holding(second.access_token).get(VISITS)).body.data).toEqual([made.body.data]);
  });

  it('of whatever app is found by index, and many are removed some at a time', async () => {
    const stranger = await api.app();
    const fill = `
      insert into access_tokens (app_id, kind, token_hash, inserted_at, expires_at)
      select $1, 'session', sha256(($1::bigint || '/' || n)::bytea), $2, $2 from generate_series(1, $3::int) as n`;
    await api.database.rows(fill, [shop.appId, api.clock.now(), 4_000]);
    await api.database.rows(fill, [stranger.appId, api.clock.now(), 2_000]);
    await api.database.source.query('analyze access_tokens');
    api.clock.forward({ hours: 30 * 24, seconds: 1 });
    api.statements.length = 0;
    expect([await remove(), await remove()]).toEqual([true, false]);
    expect([await sessionsOf(), await sessionsOf(stranger)]).toEqual([[], []]);
    const [find = ''] = api.statements;
    expect(await planOf(api.database, find, [api.clock.now()])).toContain('Index Scan using access_tokens_ended_idx');
  });
});

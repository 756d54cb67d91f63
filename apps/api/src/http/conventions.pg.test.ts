import { hashToken } from './authentication.js';
import { exchangeBytes, RawHttp, type RawReply } from '../testing/raw-http.js';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  http = new RawHttp(api.origin);
  shop = await api.app();
});
afterAll(async () => {
  http.close();
  await api.close();
});

const SETTINGS_PATH = '/api/v2/app/settings';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const parseJson = ({ text }: RawReply): unknown => JSON.parse(text);
const detailError = (text: string) => ({ errors: { detail: text } });

async function makeClientInLanguage(client: Client, language?: string): Promise<Client> {
  const token = await api.container.get(TOKENS.Apps).issueToken({ appId: client.appId, language });
  return api.withOrigins({ ...client, token: token as string }, [api.origin]);
}

describe('an unknown path or method', () => {
  it.each([
    ['an unknown path', 'GET', '/api/v2/nowhere'],
    ['the base path', 'GET', '/api/v2'],
    ['the base path with a slash', 'GET', '/api/v2/'],
    ['a list without its id', 'GET', '/api/v2/customers/'],
    ['undecodable text', 'GET', '/api/v2/%E0%A4%A'],
    ['TRACE', 'TRACE', '/api/v2/app/settings'],
  ])('is answered 404 and [] for every caller: %s', async (_, method, path) => {
    for (const headers of [{}, bearer(shop.token), { Accept: 'text/html' }]) {
      const reply = await http.call({ method, path, headers });
      expect([reply.status, reply.text]).toEqual([404, '[]']);
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it.each(['application/json', 'application/json, text/html', 'application/json, text/plain, */*', 'image/png'])(
    'is answered 404 and [] for the root path, unless the client prefers HTML or text: %s',
    async (accept) => {
      const reply = await http.call({ method: 'GET', path: '/', headers: { Accept: accept } });
      expect([reply.status, reply.text, reply.headers['vary']]).toEqual([404, '[]', 'Accept']);
    },
  );

  it.each(['/api/v2/customers/%E0%A4%A', '/api/v2/proforma_orders/%ff/pay', '/api/v2/orders/%'])(
    'is answered 400 for an undecodable id: %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const reply = await http.call({ method, path, headers: bearer(shop.token) });
        if (reply.status !== 404) expect([reply.status, parseJson(reply)]).toEqual([400, detailError('Bad Request')]);
      }
    },
  );

  it('excludes HEAD, which is answered like GET without a body', async () => {
    const get = await http.call({ path: SETTINGS_PATH, headers: bearer(shop.token) });
    const head = await http.call({ method: 'HEAD', path: SETTINGS_PATH, headers: bearer(shop.token) });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const refusedHead = await http.call({ method: 'HEAD', path: SETTINGS_PATH });
    expect([refusedHead.status, refusedHead.text]).toEqual([401, '']);
  });
});

describe('an Accept header', () => {
  it.each([
    'text/html',
    'image/*',
    'application/xml',
    '*/*;q=0',
    'application/json;q=0',
    'garbage',
    ';',
    ',',
    'application/json,'.repeat(300),
  ])('is answered 406 before the token is read: %s', async (accept) => {
    for (const headers of [{ Accept: accept }, { Accept: accept, ...bearer(shop.token) }]) {
      const reply = await http.call({ path: SETTINGS_PATH, headers });
      expect([reply.status, parseJson(reply)]).toEqual([406, detailError('Not Acceptable')]);
    }
  });

  it.each([
    undefined,
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'text/html, */*;q=0.1',
    'text/html;q=1, application/json;q=0.001',
  ])('is accepted when it allows JSON: %s', async (accept) => {
    const headers = { ...bearer(shop.token), ...(accept !== undefined && { Accept: accept }) };
    expect((await http.call({ path: SETTINGS_PATH, headers })).status).toBe(200);
  });
});

describe('the bearer token of a call', () => {
  const issueToken = (client: Client) => api.container.get(TOKENS.Apps).issueToken({ appId: client.appId });

  const expectUnauthorized = async (headers: Record<string, string>): Promise<unknown> => {
    const reply = await http.call({ path: SETTINGS_PATH, headers });
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    return parseJson(reply);
  };

  it.each([
    ['empty', () => 'Bearer'],
    ['no scheme', () => shop.token],
    ['unknown, of a missing app', () => `Bearer bo_app_987654321_${'A'.repeat(43)}`],
    ['of another app', () => `Bearer ${shop.token.replace(/_\d+_/, `_${shop.appId + 1}_`)}`],
    ['without its app', () => `Bearer ${shop.token.replace(/_\d+_/, '_')}`],
    ['followed by more', () => `Bearer ${shop.token} x`],
    ['quoted', () => `Bearer "${shop.token}"`],
    ['in another letter case', () => `Bearer ${shop.token.toUpperCase()}`],
    ['a text that is not ASCII', () => `Bearer ${'é'.repeat(20)}`],
  ])('is refused: %s', async (_, authorization) => {
    expect(await expectUnauthorized({ Authorization: authorization() })).toEqual({
      errors: { token: 'API.Tokens.Invalid' },
    });
  });

  it('is refused when sent twice', async () => {
    const authorization = `Authorization: Bearer ${shop.token}\r\n`;
    const answer = await exchangeBytes(
      api.origin,
      `GET ${SETTINGS_PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}${authorization}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('{"errors":{"token":"API.Tokens.Invalid"}}');
  });

  it('is refused after it has expired', async () => {
    const expiresAt = new Date(api.clock.now().getTime() + 10_000);
    const token = (await api.container.get(TOKENS.Apps).issueToken({ appId: shop.appId, expiresAt })) as string;
    api.clock.forward({ seconds: 9 });
    expect((await http.call({ path: SETTINGS_PATH, headers: bearer(token) })).status).toBe(200);
    api.clock.forward({ seconds: 1 });
    expect(await expectUnauthorized(bearer(token))).toEqual({ errors: { token: 'API.Tokens.Expired' } });
  });

  it('is refused within 2 s after another node revoked it', async () => {
    const token = (await issueToken(shop)) as string;
    expect((await http.call({ path: SETTINGS_PATH, headers: bearer(token) })).status).toBe(200);
    await api.database.rows('update access_tokens set revoked_at = $3 where app_id = $1 and token_hash = $2', [
      shop.appId,
      hashToken(token),
      api.clock.now(),
    ]);
    api.clock.forward({ seconds: 2 });
    expect(await expectUnauthorized(bearer(token))).toEqual({ errors: { token: 'API.Tokens.Revoked' } });
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('may have the scheme %s', async (scheme) => {
    const headers = { Authorization: `${scheme} ${shop.token}` };
    expect((await http.call({ path: SETTINGS_PATH, headers })).status).toBe(200);
  });
});

describe('a call with two errors', () => {
  const JSON_TYPE = { 'Content-Type': 'application/json' };
  const faults = {
    accept: { Accept: 'text/html' },
    cut: { body: '{"payment":' },
    type: { body: '{"payment":{"payment_method_id":"1"}}' },
    rule: { body: '{"payment":{}}' },
  };
  let method: string;
  let existingPath: string;

  beforeAll(async () => {
    await stockShop(shop, [{ code: 'ORDER' }]);
    existingPath = `/api/v2/proforma_orders/${(await propose(shop, [{ code: 'ORDER', qty: 1 }])).id}/pay`;
    method = 'POST';
  });
  const missingPath = '/api/v2/proforma_orders/987654/pay';

  it.each([
    ['path, then Accept', 404, () => ({ path: '/api/v2/nowhere', headers: faults.accept })],
    ['path, then body', 404, () => ({ path: '/api/v2/nowhere', headers: bearer(shop.token), ...faults.cut })],
    ['Accept, then token', 406, () => ({ path: existingPath, headers: faults.accept, ...faults.cut })],
    [
      'Accept, then body',
      406,
      () => ({ path: existingPath, headers: { ...faults.accept, ...authorized() }, ...faults.cut }),
    ],
    ['token, then body', 401, () => ({ path: existingPath, headers: JSON_TYPE, ...faults.cut })],
    ['token, then size', 401, () => ({ path: existingPath, headers: JSON_TYPE, body: ' '.repeat(11 * 1024 ** 2) })],
    ['token, then record', 401, () => ({ path: missingPath, headers: JSON_TYPE, ...faults.rule })],
    ['size, then record', 413, () => ({ path: missingPath, headers: authorized(), body: ' '.repeat(11 * 1024 ** 2) })],
    ['syntax, then record', 400, () => ({ path: missingPath, headers: authorized(), ...faults.cut })],
    ['a value type, then record', 400, () => ({ path: missingPath, headers: authorized(), ...faults.type })],
    [
      'a value type, then an invalid id',
      400,
      () => ({ path: missingPath.replace('987654', 'x'), headers: authorized(), ...faults.type }),
    ],
    ['record, then rule', 404, () => ({ path: missingPath, headers: authorized(), ...faults.rule })],
    [
      'an invalid id, then rule',
      404,
      () => ({ path: missingPath.replace('987654', 'x'), headers: authorized(), ...faults.rule }),
    ],
    ['rule', 422, () => ({ path: existingPath, headers: authorized(), ...faults.rule })],
  ])('reports the first error: %s (%d)', async (_, status, call) => {
    expect((await http.call({ method, ...call() })).status).toBe(status);
  });

  const PARTS_QUERIES = ['', '?dataPart=1', '?timePart=1', '?dataPart=&timePart=', '?dataPart=x&timePart=1'];
  const getWithToken = (path: string) => http.call({ path, headers: bearer(shop.token) });

  it.each(['/api/v2/customers/', '/api/v2/orders/'])(
    'reports an invalid id before a missing query parameter, and this before a missing record: %s',
    async (path) => {
      for (const query of PARTS_QUERIES) {
        const reply = await getWithToken(`${path}987654${query}`);
        expect([reply.status, parseJson(reply)]).toEqual([400, detailError('Bad Request')]);
        expect((await getWithToken(`${path}x${query}`)).status).toBe(404);
      }
      expect((await getWithToken(`${path}987654?dataPart=1&timePart=1`)).status).toBe(404);
    },
  );

  function authorized() {
    return { ...JSON_TYPE, ...bearer(shop.token) };
  }
});

describe('every response', () => {
  const listCalls = () => [
    { path: SETTINGS_PATH, headers: bearer(shop.token) },
    { path: SETTINGS_PATH },
    { path: SETTINGS_PATH, headers: { Accept: 'text/html' } },
    { path: '/api/v2/nowhere' },
    { path: '/api/v2/orders/1?dataPart=1&timePart=1', headers: bearer(shop.token) },
    { path: '/api/v2/orders', headers: bearer(shop.token) },
    { path: '/health/live' },
    { path: '/openapi.json' },
  ];

  it('has the request id that the caller sent', async () => {
    for (const call of listCalls()) {
      const headers = { ...call.headers, 'X-Request-Id': 'shop-7:a.b_c' };
      expect((await http.call({ ...call, headers })).headers['x-request-id']).toBe('shop-7:a.b_c');
    }
  });

  it.each([undefined, '', 'a b', 'x'.repeat(129), '<script>', 'é'])(
    'has a new request id when the caller sends %j',
    async (requestId) => {
      for (const call of listCalls()) {
        const headers = { ...call.headers, ...(requestId !== undefined && { 'X-Request-Id': requestId }) };
        expect((await http.call({ ...call, headers })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
    },
  );

  it('has no-store and no x-powered-by below the base path', async () => {
    for (const call of listCalls().filter(({ path }) => path.startsWith('/api/'))) {
      const { headers } = await http.call(call);
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });
});

describe('a web page of another origin (CORS)', () => {
  const origin = 'https://shop.example';
  const preflight = {
    method: 'OPTIONS',
    path: SETTINGS_PATH,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  };

  it('cannot call the service by default', async () => {
    const { status, headers } = await http.call(preflight);
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    const get = await http.call({ path: SETTINGS_PATH, headers: { Origin: origin, ...bearer(shop.token) } });
    expect(get.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('can call the service and read its errors when CORS_ORIGINS lists the origin', async () => {
    const corsApi = await testApi({ CORS_ORIGINS: `https://other.example,${origin}` });
    const corsHttp = new RawHttp(corsApi.origin);
    const preflightReply = await corsHttp.call(preflight);
    expect(preflightReply).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    expect(preflightReply.headers['access-control-allow-methods']).toContain('PATCH');
    expect(preflightReply.headers['access-control-allow-headers']).toContain('authorization');
    const refusedReply = await corsHttp.call({ path: SETTINGS_PATH, headers: { Origin: origin } });
    expect(refusedReply).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': origin } });
    const unlistedReply = await corsHttp.call({ path: SETTINGS_PATH, headers: { Origin: 'https://evil.example' } });
    expect(unlistedReply.headers).not.toHaveProperty('access-control-allow-origin');
    corsHttp.close();
    await corsApi.close();
  });
});

describe('a list that uses less of the query than was sent', () => {
  const headersOf = async (path: string) => {
    const { status, headers } = await http.call({ path: `/api/v2${path}`, headers: bearer(shop.token) });
    return [status, headers['limit-applied'], headers['ignored-parameters']];
  };

  it.each(['/warehouses?limit=10001', '/orders?limit=20000', '/products?perPage=10001', '/cdn/files?pageSize=10001'])(
    'names its maximum: %s',
    async (path) => {
      expect(await headersOf(path)).toEqual([200, '10000', undefined]);
      expect(await headersOf(path.replace(/=\d+/, '=10000'))).toEqual([200, undefined, undefined]);
    },
  );

  it('names the maximum of events', async () => {
    expect(await headersOf('/events?limit=1001')).toEqual([200, '1000', undefined]);
  });

  it.each([
    ['/proforma_orders?status=none&date_to=2026-W01&has_alerts=&limit=x', 'status, date_to, limit'],
    ['/proforma_orders?date_to=2026-01-01&x=y', undefined],
    ['/cdn/files?search=a%00b&folder=a//b&kind=cat&orderBy=name', 'search, folder, kind'],
    ['/cdn/trash?order_by=none', 'order_by'],
    ['/cdn/usages/broken?search=a%00b', 'search'],
  ])('names the ignored parameters: %s', async (path, expected) => {
    expect(await headersOf(path)).toEqual([200, undefined, expected]);
  });
});

describe('a query', () => {
  const listOrders = (query: string) => http.call({ path: `/api/v2/orders?${query}`, headers: bearer(shop.token) });
  const repeatParameter = (count: number, entry: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => entry(n)).join('&');

  it.each([
    ['1,001 repeated parameters', repeatParameter(1_001, () => 'ids=1')],
    ['1,001 with brackets', repeatParameter(1_001, () => 'ids[]=1')],
    ['1,001 with indexes', repeatParameter(1_001, (n) => `ids[${n}]=1`)],
    ['1,001 objects', repeatParameter(1_001, (n) => `files[${n}][key]=x`)],
    ['a distant index', 'ids[1001]=1&ids[5000]=2'],
    ['nesting deeper than 3', 'a[b][c][d]=1'],
    ['the prototype', '__proto__[x]=1'],
    ['the prototype below a name', 'a[__proto__]=1'],
    ['the prototype, encoded', '%5F%5Fproto%5f%5f[x]=1'],
    ['the prototype, encoded, beside undecodable text', '%5F%5Fproto%5f%5f[x]=1&y=%E0%A4%A'],
    ['the prototype behind an equals sign', 'a[x=y][__proto__]=1'],
    ['the constructor', 'constructor[prototype][x]=1'],
    ['NUL', 'search=a%00b'],
    ['NUL in a name', 'a%00b=1'],
  ])('is answered 400 with %s', async (_, query) => {
    const reply = await listOrders(query);
    expect([reply.status, parseJson(reply)]).toEqual([400, detailError('Bad Request')]);
  });

  it.each([
    ['1,000 repeated parameters', repeatParameter(1_000, () => 'ids=1')],
    ['1,000 with brackets', repeatParameter(1_000, () => 'ids[]=1')],
    ['1,000 with indexes', repeatParameter(1_000, (n) => `ids[${n}]=1`)],
    ['1,000 objects', repeatParameter(1_000, (n) => `files[${n}][key]=x`)],
    ['nesting of 3', 'a[b][c]=1'],
    ['the prototype as a value', 'search=__proto__&x=acme.constructor&y=a%26prototype%3D1'],
    ['undecodable text', 'search=%E0%A4%A'],
    ['no values', '&&=&a&b='],
  ])('is accepted with %s', async (_, query) => {
    expect((await listOrders(query)).status).toBe(200);
  });
});

describe('an app with translations', () => {
  let serbianClient: Client;

  beforeAll(async () => {
    serbianClient = await makeClientInLanguage(await api.app(), 'sr');
    await serbianClient.patch('/app/settings', {
      translations: {
        sr: {
          'API.Warehouses.NameCantBeBlank': 'Magacin nema naziv',
          'API.Stocks.VariantNotFound': 'Nema takvog artikla',
          'API.OrderProcessings.StaleEvaluation': 'Korpa je zastarela',
          "can't be blank": 'ne sme biti prazno',
          constructor: 'hostile',
        },
        en: { 'API.Warehouses.NameCantBeBlank': 'The warehouse has no name' },
        constructor: { 'API.Warehouses.NameCantBeBlank': 'hostile' },
      },
    });
  });

  it('gets translated sentences under the same area', async () => {
    expect((await serbianClient.put('/warehouse', { warehouses: [{ code: 'W' }] })).body).toEqual({
      errors: { Warehouses: ['Magacin nema naziv'] },
    });
    expect((await serbianClient.post('/proforma_orders', { order_processing_id: 987_654 })).body).toEqual({
      errors: { OrderProcessings: ['Korpa je zastarela'] },
    });
  });

  it('gets translated sentences in failed rows', async () => {
    const { data } = (await serbianClient.put('/int/stocks', { stocks: [{ code: 'X', warehouse_code: 'W', qty: 1 }] }))
      .body;
    expect(data.failed[0].error).toEqual({ message: 'Nema takvog artikla' });
  });

  it('gets the translated text of a rule under its field', async () => {
    const customer = { email: 'a@b.rs', first_name: '', last_name: 'B' };
    expect((await serbianClient.post('/customers', { customer })).body).toEqual({
      errors: { first_name: ['ne sme biti prazno'] },
    });
  });

  it('gets the message key when no translation exists', async () => {
    expect((await serbianClient.put('/warehouse', { warehouses: [{ id: 1, delete: true }] })).body).toEqual({
      errors: { Warehouses: ['API.Warehouses.NotFound'] },
    });
  });

  it('gets messages in the default language for a token without a language', async () => {
    const refusedReply = await (
      await makeClientInLanguage(serbianClient)
    ).put('/warehouse', { warehouses: [{ code: 'W' }] });
    expect(refusedReply.body).toEqual({ errors: { Warehouses: ['The warehouse has no name'] } });
  });

  it.each(['constructor', '__proto__', 'toString', 'xx'])('gets message keys for the language %s', async (language) => {
    const client = await makeClientInLanguage(await api.app(), language);
    const refusedReply = await client.put('/warehouse', { warehouses: [{ code: 'W' }] });
    expect(refusedReply.body).toEqual({ errors: { Warehouses: ['API.Warehouses.NameCantBeBlank'] } });
  });
});

describe.each([
  ['RSD', [0.5, 0.05, 12.34], [0.001, 12.345, 1e-7]],
  ['JPY', [1, 1200], [0.5, 1200.1]],
  ['KWD', [0.001, 12.345], [0.0001, 12.3456]],
])('an app whose currency is %s', (currency, allowed, tooPrecise) => {
  let client: Client;

  beforeAll(async () => {
    client = await api.app(currency);
    await stockShop(client, [{ code: 'A', price: 10_000, stock: 1_000 }]);
  });

  const postPrice = async (amount: number) =>
    (await client.post('/int/products', { products: [{ code: 'P', name: 'P', price: amount }] })).body.data;
  const pay = async (amount: number) => {
    const { id } = await propose(client, [{ code: 'A', qty: 1 }]);
    return client.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(client, 'cash'), amount },
    });
  };

  it.each(allowed)('returns %d as sent', async (amount) => {
    expect((await postPrice(amount)).failed).toEqual([]);
    expect((await client.get('/products?code=P')).body.data).toMatchObject({ price: amount, lowest_price: amount });
    expect((await pay(amount)).body.data).toMatchObject({ paid: amount });
  });

  it.each(tooPrecise)('refuses %d with an error for its field', async (amount) => {
    const reply = await pay(amount);
    expect([reply.status, reply.body]).toEqual([422, { errors: { amount: ['is invalid'] } }]);
    expect((await postPrice(amount)).failed[0].error).toEqual({ message: 'API.Products.PriceIsInvalid' });
  });
});

describe('a datetime in an answer', () => {
  it('is in UTC, without an offset and without fractions', async () => {
    await stockShop(shop, [{ code: 'WHEN' }]);
    const { id } = await propose(shop, [{ code: 'WHEN', qty: 1 }]);
    await shop.post(`/proforma_orders/${id}/pay`, {
      payment: { payment_method_id: await methodId(shop, 'cash'), amount: 1 },
    });
    const { order_processing_id: evaluation } = (await shop.get(`/proforma_orders/${id}`)).body.data;
    await shop.post(`/proforma_orders/${id}/convert`);
    const texts = await Promise.all(
      [
        '/products?code=WHEN',
        `/order_processings/${evaluation}`,
        `/proforma_orders/${id}`,
        '/proforma_orders',
        '/orders',
      ].map(async (path) => (await shop.get(path)).text),
    );
    for (const text of texts) {
      const datetimes = text.match(/"\d{4}-\d\d-\d\d[^"]*"/g) ?? [];
      expect(datetimes.length).toBeGreaterThan(0);
      for (const datetime of datetimes) expect(datetime).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"$/);
    }
  });
});

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { RawHttp, type RawReply } from '../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const MAX_BODY_BYTES = 64 * 1024;

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi({ JSON_LIMIT: '64kb' });
  http = new RawHttp(api.origin);
  shop = await api.app();
});
afterAll(async () => {
  http.close();
  await api.close();
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const BAD_REQUEST = [400, { errors: { detail: 'Bad Request' } }];
const TOO_LARGE = [413, { errors: { detail: 'Request Entity Too Large' } }];

function post(path: string, body: string | Buffer | undefined, headers: object = JSON_TYPE): Promise<RawReply> {
  const authorized = { Authorization: `Bearer ${shop.token}`, ...headers };
  return http.call({ method: 'POST', path: `/api/v2${path}`, headers: authorized, body });
}

async function readAnswer(reply: Promise<RawReply>): Promise<unknown> {
  const { status, text } = await reply;
  return [status, text === '' ? undefined : JSON.parse(text)];
}

let customerCount = 0;
function customerText(fields = ''): string {
  customerCount += 1;
  return `{"customer":{"email":"c${customerCount}@example.com","first_name":"A","last_name":"B"}${fields}}`;
}

function nestedArrays(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

describe('an unreadable body', () => {
  it.each([
    ['empty', ''],
    ['blank', ' \n '],
    ['null', 'null'],
    ['a list', '[]'],
    ['a list of bodies', `[${customerText()}]`],
    ['a text', '"customer"'],
    ['a number', '5'],
    ['true', 'true'],
    ['not UTF-8', Buffer.from(customerText().replace('"A"', '"\xff"'), 'latin1')],
    ['half of a UTF-8 character', Buffer.concat([Buffer.from(customerText()), Buffer.from([0xe2, 0x82])])],
    ['without its wrapper', '{"email":"a@b.rs"}'],
    ['with another wrapper', '{"customers":{}}'],
    ['with null for a wrapper', '{"customer":null}'],
    ['with a list for a wrapper', '{"customer":[]}'],
    ['with a text for a wrapper', '{"customer":"x"}'],
    ['with a number for a wrapper', '{"customer":0}'],
    ['a number for a text', '{"customer":{"email":5}}'],
    ['nested 33 deep', customerText(`,"x":${nestedArrays(32)}`)],
    ['20,000 nested lists', nestedArrays(20_000)],
    ['20,000 nested lists in a field', customerText(`,"x":${nestedArrays(20_000)}`)],
    ['20,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('is answered 400: %s', async (_, body) => {
    expect(await readAnswer(post('/customers', body))).toEqual(BAD_REQUEST);
  });

  it('is answered 400 when missing', async () => {
    expect(await readAnswer(post('/customers', undefined))).toEqual(BAD_REQUEST);
    expect(await readAnswer(post('/proforma_orders', undefined))).toEqual(BAD_REQUEST);
  });

  it('is answered like a missing body when empty', async () => {
    const chunkedHeaders = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
    expect(await readAnswer(post('/proforma_orders', '', chunkedHeaders))).toEqual(BAD_REQUEST);
    expect((await post('/proforma_orders/987654/warehouse_confirm', '', chunkedHeaders)).status).toBe(404);
  });
});

describe('a body of another content type', () => {
  const encodeUtf16 = (text: string) => Buffer.from(text, 'utf16le');
  // A parser that read this UTF-16 as UTF-8 would see the nesting as part of a string.
  const hiddenNesting = encodeUtf16(`{"a":"\\"","x":${nestedArrays(10_000)}}`);

  it.each([
    ['multipart', { 'Content-Type': 'multipart/form-data; boundary=x' }, customerText()],
    ['no type', {}, customerText()],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, customerText()],
    ['an unknown charset', { 'Content-Type': 'application/json; charset=x-unknown' }, customerText()],
    ['UTF-16', { 'Content-Type': 'application/json; charset=utf-16le' }, encodeUtf16(customerText())],
    ['UTF-16 that hides its depth', { 'Content-Type': 'application/json; charset=utf-16le' }, hiddenNesting],
    ['invalid gzip', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, customerText()],
    ['cut gzip', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, gzipSync(customerText()).subarray(0, -10)],
  ])('is answered 400: %s', async (_, headers, body) => {
    expect(await readAnswer(post('/customers', body, headers))).toEqual(BAD_REQUEST);
  });
});

describe('a readable body', () => {
  it.each([
    ['JSON', JSON_TYPE, customerText()],
    ['JSON with its charset', { 'Content-Type': 'application/json; charset=utf-8' }, customerText()],
    ['JSON in capitals', { 'Content-Type': 'APPLICATION/JSON;charset="UTF-8"' }, customerText()],
    ['another JSON', { 'Content-Type': 'application/vnd.shop+json' }, customerText()],
    ['gzip', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, gzipSync(customerText())],
    ['deflate', { ...JSON_TYPE, 'Content-Encoding': 'deflate' }, deflateSync(customerText())],
    ['brotli', { ...JSON_TYPE, 'Content-Encoding': 'br' }, brotliCompressSync(customerText())],
    ['nested 32 deep', JSON_TYPE, customerText(`,"x":${nestedArrays(31)}`)],
    ['brackets in a text', JSON_TYPE, customerText(`,"x":"${'['.repeat(100)}\\"${'{'.repeat(100)}\\\\"`)],
    ['exactly as large as allowed', JSON_TYPE, customerText().padEnd(MAX_BODY_BYTES, ' ')],
  ])('is accepted: %s', async (_, headers, body) => {
    expect((await post('/customers', body, headers)).status).toBe(201);
  });

  it.each([
    ['__proto__', '"__proto__":{"admin":true,"email":"proto@example.com"}'],
    ['constructor', '"constructor":{"prototype":{"admin":true}}'],
    ['constructor, a number', '"constructor":1'],
    ['toString', '"toString":1,"valueOf":null,"hasOwnProperty":"x","then":1'],
    ['length', '"length":1e9'],
    ['unknown fields', '"id":7,"app_id":1,"loyalty_points":1000,"data_part":3'],
    ['nested hostile fields', '"x":{"y":[{"constructor":1,"__proto__":{"z":1},"toString":{}}]}'],
  ])('ignores %s', async (_, fields) => {
    const reply = await post(
      '/customers',
      customerText(`,${fields}`).replace('"customer":{', `"customer":{${fields},`),
    );
    expect(reply.status).toBe(201);
    const { id, loyalty_points: points, email } = JSON.parse(reply.text).data;
    expect([Number.isInteger(id), points, email]).toEqual([true, 0, `c${customerCount}@example.com`]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('is ignored by a call that takes no body', async () => {
    expect((await post('/proforma_orders/987654/convert', '{"any": [1]}')).status).toBe(404);
    expect((await post('/proforma_orders/987654/convert', '')).status).toBe(404);
    expect((await post('/proforma_orders/987654/convert', '{"cut":')).status).toBe(400);
    expect((await post('/proforma_orders/987654/convert', '{}', { 'Content-Type': 'text/plain' })).status).toBe(400);
  });
});

describe('an oversized body', () => {
  const compressBomb = (compress: (text: string) => Buffer) => compress(customerText().padEnd(50 * 1024 ** 2, ' '));

  it.each([
    ['once unpacked with brotli', { ...JSON_TYPE, 'Content-Encoding': 'br' }, compressBomb(brotliCompressSync)],
    ['and not JSON', JSON_TYPE, 'x'.repeat(MAX_BODY_BYTES + 1)],
  ])('is answered 413: %s', async (_, headers, body) => {
    expect(body.length).toBeLessThanOrEqual(MAX_BODY_BYTES + 1);
    expect(await readAnswer(post('/customers', body, headers))).toEqual(TOO_LARGE);
  });
});

describe('a body with too many rows or fields', () => {
  let defaultApi: TestApi;
  let defaultHttp: RawHttp;
  beforeAll(async () => {
    defaultApi = await testApi();
    defaultHttp = new RawHttp(defaultApi.origin);
  });
  afterAll(async () => {
    defaultHttp.close();
    await defaultApi.close();
  });

  it.each([
    ['put', '/warehouse', 'warehouses'],
    ['post', '/int/products', 'products'],
    ['put', '/int/stocks', 'stocks'],
  ] as const)('is answered 413 above 10,000 rows, and nothing is written: %s %s', async (method, path, key) => {
    const client = await defaultApi.app();
    const makeRows = (count: number) => ({ [key]: Array.from({ length: count }, () => ({})) });
    const reply = await client[method](path, makeRows(10_001));
    expect([reply.status, reply.body]).toEqual(TOO_LARGE);
    expect((await client[method](path, makeRows(10_000))).status).not.toBe(413);
  });

  it('may have 10,000 unknown fields in an object, but not more', async () => {
    const client = await defaultApi.app();
    const makeFields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, index]));
    const stock = { ...makeFields(9_999), code: 'unknown' };
    const { body } = await client.put('/int/stocks', { stocks: [stock] });
    expect(body.data.failed[0].input).toEqual(stock);
    const refused = await client.put('/int/stocks', { stocks: [makeFields(10_001)] });
    expect([refused.status, refused.body]).toEqual(BAD_REQUEST);
  });

  it.each([
    ['PUT', '/customer/consent'],
    ['PUT', '/customer/consents/master'],
    ['POST', '/customer/attendance'],
    ['PUT', '/notification_device'],
  ])('is refused above 16 kB for a call from a phone: %s %s', async (method, path) => {
    const app = await defaultApi.app();
    const customerFields = { email: 'phone@example.com', first_name: 'A', last_name: 'B' };
    const {
      id: customer_id,
      data_part,
      time_part,
    } = (await app.post('/customers', { customer: customerFields })).body.data;
    const sessionFields = { customer_id, data_part, time_part, device: { uuid: 'phone' }, expires_in: '1d' };
    const { body: session } = await app.post('/sessions', { session: sessionFields });
    const headers = { Authorization: `Bearer ${session.data.access_token}`, ...JSON_TYPE };
    const statusOf = async (size: number): Promise<number> =>
      (await defaultHttp.call({ method, path: `/api/v2${path}`, headers, body: '{}'.padEnd(size, ' ') })).status;
    expect(await statusOf(16 * 1024)).not.toBe(413);
    expect(await statusOf(16 * 1024 + 1)).toBe(413);
  });

  it('is refused above 16 kB for a new session, and above 64 kB for a customer', async () => {
    const app = await defaultApi.app();
    const statusOf = async (path: string, size: number): Promise<number> =>
      (await app.post(path, { padding: 'x'.repeat(size - 14) })).status;
    expect([await statusOf('/sessions', 16 * 1024), await statusOf('/sessions', 16 * 1024 + 1)]).toEqual([400, 413]);
    expect([await statusOf('/customers', 64 * 1024), await statusOf('/customers', 64 * 1024 + 1)]).toEqual([400, 413]);
  });
});

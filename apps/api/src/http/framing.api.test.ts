import { exchangeBytes, RawHttp } from '../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
});
afterAll(() => api.close());

const CUSTOMER_BODY = '{"customer":{"email":"smuggled@example.com","first_name":"A","last_name":"B"}}';

function request(headers: readonly string[], body = CUSTOMER_BODY, lineEnd = '\r\n'): string {
  const head = ['POST /api/v2/customers HTTP/1.1', `Authorization: Bearer ${shop.token}`, ...headers];
  return [...head, 'Content-Type: application/json', '', body].join(lineEnd);
}

function parseAnswer(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  return { status, head, body: JSON.parse(body) as unknown };
}

const LENGTH_HEADER = `Content-Length: ${CUSTOMER_BODY.length}`;
const CHUNKED_BODY = `${CUSTOMER_BODY.length.toString(16)}\r\n${CUSTOMER_BODY}\r\n0\r\n\r\n`;

describe('a request with ambiguous framing', () => {
  it.each([
    ['a length and chunks', () => request(['Host: x', LENGTH_HEADER, 'Transfer-Encoding: chunked'], CHUNKED_BODY)],
    ['two lengths', () => request(['Host: x', LENGTH_HEADER, 'Content-Length: 1'])],
    ['two lengths in one header', () => request(['Host: x', `${LENGTH_HEADER}, 1`])],
    ['a signed length', () => request(['Host: x', 'Content-Length: +5'])],
    ['a misspelled encoding', () => request(['Host: x', 'Transfer-Encoding: xchunked'], CHUNKED_BODY)],
    ['another encoding', () => request(['Host: x', 'Transfer-Encoding: gzip'], CHUNKED_BODY)],
    [
      'a request hidden in a body',
      () => request(['Host: x', 'Transfer-Encoding: xchunked'], request(['Host: x', LENGTH_HEADER])),
    ],
    [
      'two encodings',
      () => request(['Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], CHUNKED_BODY),
    ],
    [
      'the same encoding twice',
      () => request(['Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], CHUNKED_BODY),
    ],
    ['an empty encoding', () => request(['Host: x', 'Transfer-Encoding: '], CHUNKED_BODY)],
    ['the same length twice', () => request(['Host: x', LENGTH_HEADER, LENGTH_HEADER])],
    ['a negative length', () => request(['Host: x', 'Content-Length: -1'])],
    ['a length beyond 64 bits', () => request(['Host: x', 'Content-Length: 99999999999999999999'])],
    ['a length in hexadecimal', () => request(['Host: x', `Content-Length: 0x${CUSTOMER_BODY.length.toString(16)}`])],
    ['an empty length', () => request(['Host: x', 'Content-Length: '])],
    ['the same host twice', () => request(['Host: x', 'Host: x', LENGTH_HEADER])],
    ['NUL in a header', () => request(['Host: x', 'X-Nul: a\0b', LENGTH_HEADER])],
    ['chunked twice', () => request(['Host: x', 'Transfer-Encoding: chunked, chunked'], CHUNKED_BODY)],
    ['bare line feeds', () => request(['Host: x', LENGTH_HEADER], CUSTOMER_BODY, '\n')],
    ['a space before a colon', () => request(['Host : x', LENGTH_HEADER])],
    ['a folded header', () => request(['Host: x', 'X-Folded: a', ' b', LENGTH_HEADER])],
    ['no host', () => request([LENGTH_HEADER])],
    ['two hosts', () => request(['Host: x', 'Host: y', LENGTH_HEADER])],
    [
      'a bad chunk size',
      () => request(['Host: x', 'Transfer-Encoding: chunked'], `zz\r\n${CUSTOMER_BODY}\r\n0\r\n\r\n`),
    ],
    ['no HTTP', () => 'hello\r\n\r\n'],
    ['another protocol', () => `GET /api/v2/app/settings HTTP/9.9\r\nHost: x\r\n\r\n`],
  ])('is answered 400 and closes the connection: %s', async (_, bytes) => {
    const { status, head, body } = parseAnswer(await exchangeBytes(api.origin, bytes()));
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    expect(head).toMatch(/\r\nConnection: close/i);
    expect(head).toMatch(/\r\nContent-Type: application\/json/i);
    expect(head).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}/i);
  });

  it('creates no customer', async () => {
    const customer = { email: 'smuggled@example.com', first_name: 'A', last_name: 'B' };
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await shop.post('/customers', { customer })).status).toBe(201);
  });
});

describe('a request head', () => {
  const call = (length: number) =>
    exchangeBytes(
      api.origin,
      `GET /api/v2/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(length)}\r\n\r\n`,
    );

  it('is answered 413 above 128 KiB', async () => {
    const { status, head, body } = parseAnswer(await call(129 * 1024));
    expect([status, body]).toEqual([413, { errors: { detail: 'Request Entity Too Large' } }]);
    expect(head).toMatch(/\r\nX-Request-Id: /i);
  });

  it('is read at 120 KiB', async () => {
    expect(parseAnswer(await call(120 * 1024))).toMatchObject({ status: 404, body: [] });
  });

  it('is read with a path of 100 kB', async () => {
    const http = new RawHttp(api.origin);
    expect((await http.call({ path: `/api/v2/${'x'.repeat(100_000)}` })).status).toBe(404);
    http.close();
  });
});

describe('an HTTP/1.0 request', () => {
  it('does not need a Host header', async () => {
    expect(parseAnswer(await exchangeBytes(api.origin, 'GET /api/v2/nowhere HTTP/1.0\r\n\r\n'))).toMatchObject({
      status: 404,
    });
  });
});

describe('a connection', () => {
  it('serves several requests one after another', async () => {
    const unfinishedHead = `GET /api/v2/nowhere HTTP/1.1\r\nHost: x\r\n`;
    const answers = await exchangeBytes(
      api.origin,
      `${unfinishedHead}\r\n${unfinishedHead}\r\n${unfinishedHead}Connection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 404 /g)).toHaveLength(3);
  });
});

describe('a body that differs from its Content-Length', () => {
  const smallBody = '{"customer":{}}';

  it('closes the connection when the extra bytes are not a request', async () => {
    const answers = await exchangeBytes(
      api.origin,
      request(['Host: x', `Content-Length: ${smallBody.length}`], `${smallBody}}}`),
    );
    expect(answers.match(/HTTP\/1\.1 \d{3} /g)).toEqual(['HTTP/1.1 422 ', 'HTTP/1.1 400 ']);
  });

  it('reads the extra bytes as a request without a token', async () => {
    const hiddenRequest = 'GET /api/v2/app/settings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answers = await exchangeBytes(
      api.origin,
      request(['Host: x', `Content-Length: ${smallBody.length}`], `${smallBody}${hiddenRequest}`),
    );
    expect(answers.match(/HTTP\/1\.1 \d{3} /g)).toEqual(['HTTP/1.1 422 ', 'HTTP/1.1 401 ']);
  });

  it('creates no customer when the client disconnects early', async () => {
    const shortRequest = request(
      ['Host: x', `Content-Length: ${CUSTOMER_BODY.length + 1}`],
      CUSTOMER_BODY.replace('smuggled', 'cut'),
    );
    await exchangeBytes(api.origin, shortRequest, { hangUp: true });
    const customer = { email: 'cut@example.com', first_name: 'A', last_name: 'B' };
    expect((await shop.post('/customers', { customer })).status).toBe(201);
  });
});

describe('a repeated header', () => {
  it.each([
    ['Accept: text/html', 'Accept: application/json', 200],
    ['Accept: application/json', 'Accept: text/html', 200],
    ['X-Request-Id: one', 'X-Request-Id: two', 200],
    ['Content-Type: application/json', 'Content-Type: text/plain', 200],
    ['Authorization: Bearer x', '', 401],
  ])('with %s and %s is answered %d', async (firstHeader, secondHeader, status) => {
    const token = `Authorization: Bearer ${shop.token}`;
    const head = [
      'GET /api/v2/app/settings HTTP/1.1',
      'Host: x',
      'Connection: close',
      token,
      firstHeader,
      secondHeader,
    ].filter(Boolean);
    expect(await exchangeBytes(api.origin, `${head.join('\r\n')}\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

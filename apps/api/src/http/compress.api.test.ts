import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const PRODUCTS = 2_000;

let api: TestApi;
let shop: Client;
beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  const products = Array.from({ length: PRODUCTS }, (_, index) => ({
    code: `P${index}`,
    name: `Čarape ${index}`,
    description: 'Warm and dry. '.repeat(20),
    price: 100,
    vat_rate: 20,
    variants: [{ code: `V${index}` }],
  }));
  expect((await shop.post('/int/products', { products })).status).toBe(200);
}, 60_000);
afterAll(() => api.close());

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

async function fetchRaw(path: string, acceptEncoding: string | undefined, method = 'GET'): Promise<RawResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${shop.token}`,
      ...(acceptEncoding !== undefined && { 'Accept-Encoding': acceptEncoding }),
    };
    request(`${api.origin}${path}`, { method, headers }, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

const LIST = '/api/v2/products?limit=100';
const LARGE_LIST = `/api/v2/products?limit=${PRODUCTS}`;

describe('a response of more than 1 kB', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('is compressed as %s when the client asks for it', async (encoding, decompress) => {
    for (const path of [LIST, LARGE_LIST, '/openapi.json']) {
      const plain = await fetchRaw(path, undefined);
      const compressed = await fetchRaw(path, encoding);
      expect(compressed.headers).toMatchObject({
        'content-encoding': encoding,
        vary: expect.stringMatching(/accept-encoding/i),
      });
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 3);
      expect(decompress(compressed.bytes).equals(plain.bytes)).toBe(true);
    }
  });

  it.each([undefined, 'identity', 'zstd', 'gzip;q=0'])('is not compressed for Accept-Encoding %j', async (encoding) => {
    const { headers, bytes } = await fetchRaw(LIST, encoding);
    expect(headers).not.toHaveProperty('content-encoding');
    expect([headers['content-length'], headers.vary]).toEqual([String(bytes.length), 'Accept-Encoding']);
  });

  it('arrives completely at a client that reads slowly', async () => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${shop.token}`, 'Accept-Encoding': 'gzip' };
      request(`${api.origin}${LARGE_LIST}`, { headers, highWaterMark: 1 } as object, resolve)
        .on('error', reject)
        .end();
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).data.products).toHaveLength(PRODUCTS);
  });
});

describe('a short response', () => {
  it('is not compressed', async () => {
    const { headers, bytes } = await fetchRaw('/api/v2/products?code=none', 'gzip, br');
    expect([headers['content-encoding'], bytes.toString()]).toEqual([undefined, '{"data":{}}']);
    const missing = await fetchRaw('/api/v2/orders/1?dataPart=1&timePart=1', 'gzip');
    expect([missing.status, missing.bytes.length]).toEqual([404, 0]);
  });
});

describe('the stored answer of a keyed call', () => {
  it('is compressed only when the client asks for it', async () => {
    const products = Array.from({ length: 50 }, (_, index) => ({ code: `P${index}`, name: 'Socks' }));
    const body = JSON.stringify({ products });
    const send = async (encoding: string) => {
      const response = await fetch(`${api.origin}/api/v2/int/products`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${shop.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'kept',
          'Accept-Encoding': encoding,
        },
        body,
      });
      return [response.headers.get('content-encoding'), await response.text()];
    };
    const first = await send('gzip');
    expect([first[0], await send('identity')]).toEqual(['gzip', [null, first[1]]]);
  });
});

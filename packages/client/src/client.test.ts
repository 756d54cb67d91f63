import { createClient, type Client, type ClientOptions } from './index.js';
import { startFakeService, type FakeService } from './testing/fake-service.js';

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.close());

const FAST = { baseDelayMs: 1 };
const clientWith = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ baseUrl: service.baseUrl, token: 'secret', retries: FAST, ...options });
const keysOf = (): unknown[] => service.received.map(({ headers }) => headers['idempotency-key']);
const stocks = { stocks: [{ code: 'TEE-M', warehouse_code: 'MAIN', qty: 1 }] };

describe('a call of the client', () => {
  it('sends token, parameters and body, and returns the body of the response', async () => {
    service.plan({ body: { data: { id: 7 } } });
    const { data } = await clientWith().patch('/proforma_orders/{id}', { path: { id: 7 }, body: { tags: ['a'] } });
    expect(data.id).toBe(7);
    const [{ method, url, headers, body }] = service.received as [FakeService['received'][number]];
    expect([method, url, JSON.parse(body.toString())]).toEqual(['PATCH', '/api/v2/proforma_orders/7', { tags: ['a'] }]);
    expect(headers).toMatchObject({
      authorization: 'Bearer secret',
      accept: expect.stringMatching(/^application\/problem\+json, application\/json/),
    });
  });

  it('returns undefined for no content and a blob for other content', async () => {
    service.plan({ status: 204 });
    expect(await clientWith().delete('/proforma_orders/{id}', { path: { id: 7 } })).toBeUndefined();
    service.plan({ body: 'picture', headers: { 'Content-Type': 'image/png' } });
    const image = await clientWith().get('/proforma_orders/{id}/payment_qr', { path: { id: 7 } });
    expect([await image.text(), image.type]).toEqual(['picture', 'image/png']);
  });

  it('passes the response to the onResponse callback', async () => {
    service.plan({ body: { data: [] }, headers: { ETag: '"1"' } });
    let tag: string | null = null;
    await clientWith().get('/warehouses', { onResponse: ({ headers }) => (tag = headers.get('ETag')) });
    expect(tag).toBe('"1"');
  });

  it('throws an ApiError for a refusal, without a retry', async () => {
    service.plan({ status: 422, body: { errors: { Warehouses: ['API.Warehouses.NameCantBeBlank'] } } });
    const call = clientWith().put('/warehouse', { body: { warehouses: [] } });
    await expect(call).rejects.toMatchObject({ status: 422, key: 'API.Warehouses.NameCantBeBlank' });
    expect(service.received).toHaveLength(1);
  });

  it('asks the token function once for all attempts', async () => {
    service.plan({ status: 503 }, { body: { data: {} } });
    let count = 0;
    await clientWith({ token: async () => `token-${(count += 1)}` }).post('/product/verify', {
      body: { products: [] },
    });
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });
});

describe('a retry of the client', () => {
  it.each([
    ['429', { status: 429 }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['a lost response', { breaks: 'before' }],
    ['a response that breaks off', { breaks: 'within' }],
    ['a running first attempt', { status: 409, headers: { 'Retry-After': '0' } }],
  ] as const)('follows %s, with the same key and body', async (_, failure) => {
    service.plan(failure, failure, { body: { data: { updated: 1, failed: [] } } });
    const { data } = await clientWith().put('/int/stocks', { body: stocks });
    expect(data.updated).toBe(1);
    expect(new Set(keysOf()).size).toBe(1);
    expect(keysOf()[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(service.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([stocks, stocks, stocks]);
  });

  it('waits for a running attempt longer than for failures', async () => {
    const running = { status: 409, headers: { 'Retry-After': '0' } };
    service.plan(...Array.from({ length: 8 }, () => running), { body: { data: { updated: 1, failed: [] } } });
    expect((await clientWith().put('/int/stocks', { body: stocks })).data.updated).toBe(1);
    expect(service.received).toHaveLength(9);
    service.plan({ status: 409 });
    await expect(clientWith().put('/int/stocks', { body: stocks })).rejects.toMatchObject({ status: 409 });
    expect(service.received).toHaveLength(1);
  });

  it('follows a failed GET', async () => {
    service.plan({ status: 502 }, { body: { data: [] } });
    expect(await clientWith().get('/warehouses')).toEqual({ data: [] });
    expect(keysOf()).toEqual([undefined, undefined]);
  });

  it('does not follow a write that ignores idempotency keys', async () => {
    service.plan({ status: 503 });
    const call = clientWith().post('/access_tokens', { body: { access_token: { name: 'ERP', scopes: [] } } });
    await expect(call).rejects.toMatchObject({ status: 503 });
    expect(keysOf()).toEqual([undefined]);
  });

  it('uses the key of the caller; without one, each call has its own key', async () => {
    service.plan({ body: { data: { updated: 1, failed: [] } } });
    const client = clientWith();
    await client.put('/int/stocks', { body: stocks, idempotencyKey: 'delivery-4711' });
    await client.put('/int/stocks', { body: stocks });
    await client.put('/int/stocks', { body: stocks });
    expect(keysOf()[0]).toBe('delivery-4711');
    expect(new Set(keysOf()).size).toBe(3);
  });

  it('waits as long as Retry-After says', async () => {
    const delays: number[] = [];
    service.plan({ status: 429, headers: { 'Retry-After': '1' } }, { body: { data: [] } });
    const start = performance.now();
    await clientWith({ retries: { ...FAST, onRetry: ({ delayMs }) => delays.push(delayMs) } }).get('/warehouses');
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(delays[0]).toBeGreaterThanOrEqual(1_000);
    expect(delays[0]).toBeLessThan(1_001);
  });

  it('reads a date in Retry-After', async () => {
    const delays: number[] = [];
    const date = new Date(Date.now() - 5_000).toUTCString();
    service.plan({ status: 503, headers: { 'Retry-After': date } }, { body: { data: [] } });
    await clientWith({ retries: { ...FAST, onRetry: ({ delayMs }) => delays.push(delayMs) } }).get('/warehouses');
    expect(delays[0]).toBeLessThan(1);
  });

  it('does not follow a response whose Retry-After exceeds the maximum delay', async () => {
    service.plan({ status: 503, headers: { 'Retry-After': '60' } });
    await expect(clientWith().get('/warehouses')).rejects.toMatchObject({ status: 503 });
    expect(service.received).toHaveLength(1);
  });

  it('waits for a random delay, whose maximum doubles each time', async () => {
    const delays: number[] = [];
    service.plan({ status: 500 });
    const retries = {
      baseDelayMs: 2,
      maxDelayMs: 5,
      maxAttempts: 12,
      onRetry: ({ delayMs }: { delayMs: number }) => delays.push(delayMs),
    };
    await expect(clientWith({ retries }).get('/warehouses')).rejects.toMatchObject({ status: 500 });
    expect(delays).toHaveLength(11);
    expect(delays[0]).toBeLessThan(2);
    expect(Math.max(...delays)).toBeLessThan(5);
    expect(new Set(delays).size).toBeGreaterThan(5);
  });

  it('is not made after the maximum number of attempts; the call then fails with the last error', async () => {
    service.plan({ breaks: 'before' });
    const call = clientWith({ retries: { ...FAST, maxAttempts: 3 } }).get('/warehouses');
    await expect(call).rejects.toMatchObject({ name: 'ApiError', status: 0, message: 'No response: fetch failed' });
    expect(service.received).toHaveLength(3);
  });

  it('follows an attempt that exceeds its timeout', async () => {
    service.plan({ hangs: true }, { body: { data: [] } });
    expect(await clientWith({ retries: { ...FAST, timeoutMs: 50 } }).get('/warehouses')).toEqual({ data: [] });
    expect(service.received).toHaveLength(2);
    service.plan({ hangs: true }, { body: { data: [] } });
    expect(await clientWith().get('/warehouses', { timeoutMs: 50 })).toEqual({ data: [] });
    expect(service.received).toHaveLength(2);
  });
});

describe('an aborted call', () => {
  it('ends during an attempt', async () => {
    service.plan({ hangs: true });
    const call = clientWith().get('/warehouses', { signal: AbortSignal.timeout(50) });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(service.received).toHaveLength(1);
  });

  it('ends between two attempts', async () => {
    service.plan({ status: 503, headers: { 'Retry-After': '20' } });
    const controller = new AbortController();
    const retries = { onRetry: () => setTimeout(() => controller.abort(), 10) };
    const call = clientWith({ retries }).get('/warehouses', { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(service.received).toHaveLength(1);
  });
});

describe('the pages of a list', () => {
  const idsOf = async (rows: AsyncIterable<{ readonly id: number }>): Promise<number[]> => {
    const ids: number[] = [];
    for await (const { id } of rows) ids.push(id);
    return ids;
  };
  const queries = (): string[] => service.received.map(({ url }) => decodeURIComponent(url.split('?')[1] ?? ''));

  it('follow the cursor', async () => {
    service.plan(
      { body: { data: [{ id: 1 }, { id: 2 }] }, headers: { 'Next-Cursor': 'c1' } },
      { body: { data: [{ id: 3 }, { id: 4 }] } },
    );
    expect(await idsOf(clientWith().all('/proforma_orders', { query: { status: 'paid', limit: 2 } }))).toEqual([
      1, 2, 3, 4,
    ]);
    expect(queries()).toEqual(['status=paid&limit=2&offset=0', 'status=paid&limit=2&cursor=c1']);
  });

  it('advance by the number of rows if the list has no cursor', async () => {
    service.plan({ body: { data: [{ id: 1 }, { id: 2 }] } }, { body: { data: [{ id: 3 }] } });
    expect(await idsOf(clientWith().all('/warehouses', { query: { limit: 2 } }))).toEqual([1, 2, 3]);
    expect(queries()).toEqual(['limit=2&offset=0', 'limit=2&offset=2']);
  });

  it('advance by page numbers if the list has them', async () => {
    const body = (...ids: number[]) => ({ body: { data: { files: ids.map((id) => ({ id })), total_count: 3 } } });
    service.plan(body(1, 2), body(3));
    expect(await idsOf(clientWith().all('/cdn/files', { query: { pageSize: 2 } }))).toEqual([1, 2, 3]);
    expect(queries()).toEqual(['pageSize=2&pageNo=1', 'pageSize=2&pageNo=2']);
  });

  it('yield one row when the response has a single record, and none when it has an empty object', async () => {
    service.plan({ body: { data: { id: 9, variants: [{ id: 1 }] } } });
    expect(await idsOf(clientWith().all('/products', { query: { code: 'TEE' } }))).toEqual([9]);
    service.plan({ body: { data: {} } });
    expect(await idsOf(clientWith().all('/products', { query: { code: 'TEE' } }))).toEqual([]);
  });

  it('have 100 rows by default; no page is requested after the loop ends', async () => {
    service.plan({ body: { data: [{ id: 1 }] }, headers: { 'Next-Cursor': 'c1' } });
    for await (const { id } of clientWith().all('/orders')) {
      expect(id).toBe(1);
      break;
    }
    expect(queries()).toEqual(['limit=100&offset=0']);
  });
});

describe('the types of the client', () => {
  it('refuse invalid paths, parameters and bodies', async () => {
    const client = clientWith({ fetch: () => Promise.resolve(Response.json({ data: [] })) });
    // @ts-expect-error There is no such path.
    await client.get('/proformas');
    // @ts-expect-error The id is missing.
    await client.get('/proforma_orders/{id}').catch(() => {});
    // @ts-expect-error The body is missing.
    await client.post('/proforma_orders');
    // @ts-expect-error The parameter has another type.
    await client.get('/proforma_orders', { query: { limit: 'ten' } });
    // @ts-expect-error This list has no pages.
    await expect(client.all('/cdn/folders').next()).rejects.toThrow(TypeError);
    // @ts-expect-error A row has no such field.
    for await (const { proforma_no } of client.all('/proforma_orders')) expect(proforma_no).toBeUndefined();
    const { data } = await client.get('/proforma_orders');
    const numbers: string[] = data.map(({ proforma_number }) => proforma_number);
    expect(numbers).toEqual([]);
  });
});

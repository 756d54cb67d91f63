import { createClient, type Client } from '@back-office/client';
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { testApi, type TestApi } from '../testing/test-api.js';
import { listen } from '../testing/varnish.js';

let api: TestApi;
let proxy: Server;
let client: Client;
/** Number of further responses that the proxy drops after the service has executed the call. */
let responsesToLose = 0;
const lostStatuses: number[] = [];

beforeAll(async () => {
  api = await testApi();
  proxy = createServer(forward);
  const baseUrl = `http://127.0.0.1:${await listen(proxy)}/api/v2`;
  const { token } = await api.app();
  client = createClient({ baseUrl, token, retries: { baseDelayMs: 1 } });
  await client.put('/warehouse', {
    body: {
      warehouses: [
        { code: 'MAIN', name: 'Main', address_line_1: 'A 1', city: 'Beograd', postcode: '11000', market_id: 1 },
      ],
    },
  });
  const codes = ['TEE-1', 'TEE-2', 'TEE-3', 'TEE-4', 'TEE-5'];
  const products = codes.map((code) => ({
    code,
    name: `Shirt ${code}`,
    price: 10,
    vat_rate: 20,
    variants: [{ code }],
  }));
  await client.post('/int/products', { body: { products } });
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await api.close();
});

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url, headers } = incoming;
  const call = send(`${api.origin}${url}`, { method, headers }, (answer) => {
    if (responsesToLose > 0) {
      responsesToLose -= 1;
      lostStatuses.push(answer.statusCode ?? 0);
      answer.resume().on('end', () => outgoing.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(call);
}

function loseResponses(count: number): void {
  responsesToLose = count;
  lostStatuses.length = 0;
}

describe('the client behind a connection that loses responses', () => {
  it('adds stock only once', async () => {
    loseResponses(2);
    let replayed: string | null = null;
    const { data } = await client.put('/int/stocks', {
      body: { stocks: [{ code: 'TEE-1', warehouse_code: 'MAIN', qty: 5 }] },
      onResponse: ({ headers }) => (replayed = headers.get('Idempotency-Replayed')),
    });
    expect([data.updated, replayed, lostStatuses]).toEqual([1, 'true', [200, 200]]);
    const { data: stocks } = await client.get('/stocks/aggregate', { query: { code: 'TEE-1' } });
    expect(stocks).toMatchObject([{ on_hand: 5 }]);
  });

  it('stores an upload only once', async () => {
    loseResponses(1);
    const { data } = await client.upload('/cdn/files', { body: { file: new Blob(['hello']) }, fileName: 'a.txt' });
    expect(lostStatuses).toEqual([201]);
    const ids: number[] = [];
    for await (const { id } of client.all('/cdn/files')) ids.push(id);
    expect(ids).toEqual([data.id]);
  });

  it('refuses a different call with the same idempotency key', async () => {
    const row = { code: 'TEE-2', warehouse_code: 'MAIN', qty: 1 };
    const idempotencyKey = 'delivery-1';
    await client.put('/int/stocks', { body: { stocks: [row] }, idempotencyKey });
    const call = client.put('/int/stocks', { body: { stocks: [{ ...row, qty: 2 }] }, idempotencyKey });
    await expect(call).rejects.toMatchObject({ status: 422, key: 'API.Idempotency.KeyReused' });
  });
});

describe('the pages of a list', () => {
  it.each([
    ['a cursor', {}],
    ['an offset, in a search', { search: 'Shirt' }],
  ])('are read to the last page by %s', async (_, filter) => {
    const codes: unknown[] = [];
    for await (const { code } of client.all('/products', { query: { ...filter, limit: 2 } })) codes.push(code);
    expect(codes).toHaveLength(5);
    expect(new Set(codes)).toEqual(new Set(['TEE-1', 'TEE-2', 'TEE-3', 'TEE-4', 'TEE-5']));
  });
});

describe('an error of the service', () => {
  it('has the request id, and no field for an unreadable request', async () => {
    const call = client.get('/stock_movements', { query: { dateFrom: 'never', dateUntil: 'never' } });
    await expect(call).rejects.toMatchObject({ status: 400, requestId: expect.stringMatching(/./) });
  });

  it('names the field, and the row of a bulk call', async () => {
    const fieldError = client.post('/proforma_orders', { body: {} as never });
    await expect(fieldError).rejects.toMatchObject({
      status: 422,
      key: 'Fields.CantBeBlank',
      field: 'order_processing_id',
      pointer: '/order_processing_id',
    });
    const rowError = client.put('/warehouse', { body: { warehouses: [{ code: 'W9' }] } });
    await expect(rowError).rejects.toMatchObject({ key: 'API.Warehouses.NameCantBeBlank', row: 0, field: 'name' });
  });

  it('has the message key, and the scope that a token lacks', async () => {
    const { data } = await client.post('/access_tokens', {
      body: { access_token: { name: 'ERP', scopes: ['stock:read'], expires_in: '1d' } },
    });
    const limited = createClient({ baseUrl: `${api.origin}/api/v2`, token: data.access_token });
    const error: unknown = await limited.get('/products').catch((caught: unknown) => caught);
    const scopeError = { key: 'API.Tokens.ScopeMissing', details: { scope: 'catalogue:read' } };
    expect(error).toMatchObject({ status: 403, key: scopeError.key, errors: [scopeError] });
    expect((error as { response: Response }).response.headers.get('WWW-Authenticate')).toContain('catalogue:read');
  });
});

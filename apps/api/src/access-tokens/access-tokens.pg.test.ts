import { type Scope } from '@back-office/apps';
import { TOKENS } from '../tokens.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const createToken = async (fields: object = {}, client = shop) =>
  (await client.post('/access_tokens', { access_token: { name: 'ERP', ...fields } })).body.data;
const clientOf = (token: { access_token: string }): Client => api.clientWith(shop.appId, token.access_token);
const clientLimitedTo = async (...scopes: Scope[]) => clientOf(await createToken({ scopes }));
const SCOPE_NOT_HELD = { errors: { Tokens: ['API.Tokens.ScopeNotHeld'] } };

describe('POST /access_tokens', () => {
  it('creates a token that works immediately and expires after 400 days', async () => {
    const { status, body } = await shop.post('/access_tokens', {
      access_token: { name: 'ERP', scopes: ['stock:read'], language: 'sr' },
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(Number),
      name: 'ERP',
      scopes: ['stock:read'],
      language: 'sr',
      inserted_at: '2026-11-21T10:00:00',
      last_used_at: null,
      expires_at: '2027-12-26T10:00:00',
      revoked_at: null,
      current: false,
      access_token: expect.stringMatching(/^bo_app_\d+_[\w-]{43}$/),
    });
    expect((await clientOf(body.data).get('/stocks')).status).toBe(200);
  });

  it('grants every scope unless the request lists scopes', async () => {
    const token = await createToken({ expires_in: '12h' });
    expect(token).toMatchObject({ scopes: null, expires_at: '2026-11-21T22:00:00' });
    expect((await clientOf(token).get('/products')).status).toBe(200);
  });

  it('grants only scopes that the caller has', async () => {
    const limited = await clientLimitedTo('tokens:write', 'stock:read');
    expect((await createToken({ scopes: ['stock:read'] }, limited)).scopes).toEqual(['stock:read']);
    for (const scopes of [undefined, null, ['stock:write'], ['stock:read', 'orders:read']]) {
      const { status, body } = await limited.post('/access_tokens', { access_token: { name: 'x', scopes } });
      expect([status, body]).toEqual([403, SCOPE_NOT_HELD]);
    }
  });

  it.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['an unknown scope', { scopes: ['stock:all'] }, 'scopes'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['a lifetime above the maximum', { expires_in: '3651d' }, 'expires_in'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await shop.post('/access_tokens', { access_token: { name: 'x', ...fields } });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  it('does not store the token', async () => {
    const { access_token: secret } = await createToken();
    const rows = await api.database.rows('select to_jsonb(t)::text as text from access_tokens t where app_id = $1', [
      shop.appId,
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe('GET /access_tokens', () => {
  it('lists the tokens of the app without secrets and sessions', async () => {
    const token = await createToken();
    await shop.post('/sessions', { session: { device: { uuid: 'phone' } } });
    const { body } = await shop.get('/access_tokens');
    const { access_token: secret, ...listed } = token;
    expect(body.data).toEqual([expect.objectContaining({ name: null, current: true, expires_at: null }), listed]);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect((await shop.get('/access_tokens?offset=1&limit=1')).body.data).toEqual([listed]);
    expect((await (await api.app()).get('/access_tokens')).body.data).toHaveLength(1);
  });
});

describe('PATCH /access_tokens/{id}', () => {
  it('changes name, scopes and expiry with immediate effect', async () => {
    const token = await createToken();
    const client = clientOf(token);
    expect((await client.get('/products')).status).toBe(200);
    const change = { name: 'PIM', scopes: ['stock:read'], expires_in: '30d' };
    const { body } = await shop.patch(`/access_tokens/${token.id}`, { access_token: change });
    expect(body.data).toMatchObject({ name: 'PIM', scopes: ['stock:read'], expires_at: '2026-12-21T10:00:00' });
    expect((await client.get('/products')).status).toBe(403);
    const { body: unchanged } = await shop.patch(`/access_tokens/${token.id}`, { access_token: {} });
    expect(unchanged.data).toEqual(body.data);
  });

  it('refuses scopes that the caller lacks, in the request or in the changed token', async () => {
    const limited = await clientLimitedTo('tokens:write', 'stock:read');
    const [weak, strong] = [
      await createToken({ scopes: ['stock:read'] }),
      await createToken({ scopes: ['orders:read'] }),
    ];
    for (const [id, change] of [
      [weak.id, { scopes: ['orders:read'] }],
      [weak.id, { scopes: null }],
      [strong.id, { name: 'x' }],
    ]) {
      const { status, body } = await limited.patch(`/access_tokens/${id}`, { access_token: change });
      expect([status, body]).toEqual([403, SCOPE_NOT_HELD]);
    }
    expect((await limited.patch(`/access_tokens/${weak.id}`, { access_token: { name: 'x' } })).status).toBe(200);
  });
});

describe('POST /access_tokens/{id}/rotate', () => {
  it('creates a token with the same settings, and keeps the old token valid during the overlap', async () => {
    const token = await createToken({ scopes: ['stock:read'], language: 'sr' });
    const { status, body } = await shop.post(`/access_tokens/${token.id}/rotate`, { access_token: { overlap: '1h' } });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ name: 'ERP', scopes: ['stock:read'], language: 'sr' });
    expect(body.data.id).not.toBe(token.id);
    const failures = async () =>
      (await Promise.all([token, body.data].map((one) => clientOf(one).get('/stocks')))).map(
        ({ status: code }) => code,
      );
    expect(await failures()).toEqual([200, 200]);
    api.clock.forward({ hours: 1 });
    expect(await failures()).toEqual([401, 200]);
  });

  it('lets a token rotate itself, with an overlap of 24 hours by default', async () => {
    const client = await clientLimitedTo('tokens:write', 'tokens:read');
    const { body: list } = await client.get('/access_tokens');
    const { id } = list.data.find(({ current }: { current: boolean }) => current);
    const { body } = await client.post(`/access_tokens/${id}/rotate`);
    const { body: later } = await clientOf(body.data).get('/access_tokens');
    const nextDay = new Date(api.clock.now().getTime() + 24 * 3_600_000).toISOString().slice(0, 19);
    expect(later.data.at(-2)).toMatchObject({ id, expires_at: nextDay });
  });
});

describe('the time of the last use', () => {
  const lastUses = async () =>
    (await shop.get('/access_tokens')).body.data.map((token: { last_used_at: string | null }) => token.last_used_at);

  const flush = () => api.container.get(TOKENS.TokenUses).flush();

  it('is stored in batches, once per token', async () => {
    await flush();
    const [first, second] = [clientOf(await createToken()), clientOf(await createToken())];
    for (const client of [first, first, second]) await client.get('/stocks');
    const now = api.clock.now().toISOString().slice(0, 19);
    expect(await lastUses()).toEqual([null, null, null]);
    api.statements.length = 0;
    await flush();
    expect(api.statements.filter((text) => text.includes('last_used_at = '))).toHaveLength(1);
    expect(await lastUses()).toEqual([now, now, now]);
    await flush();
    api.statements.length = 0;
    api.clock.forward({ seconds: 59 });
    await first.get('/stocks');
    await flush();
    expect(api.statements.filter((text) => text.includes('last_used_at = '))).toEqual([]);
    expect(await lastUses()).toEqual([now, now, now]);
  });
});

describe('Token-Expires', () => {
  it('shows the expiry of a token in its last 30 days', async () => {
    const token = await createToken({ expires_in: '31d' });
    const client = clientOf(token);
    const readHeader = async () => (await client.get('/stocks')).headers['token-expires'];
    expect(await readHeader()).toBeUndefined();
    api.clock.forward({ hours: 24 });
    expect(await readHeader()).toBe(token.expires_at);
    expect((await shop.get('/stocks')).headers).not.toHaveProperty('token-expires');
  });
});

describe('a token with a narrow scope', () => {
  it.each<[Scope, string, string]>([
    ['proformas:confirm', 'warehouse_confirm', 'pay'],
    ['payments:write', 'pay', 'warehouse_confirm'],
    ['refunds:write', 'refunds/1/retry', 'pay'],
  ])('%s may call %s, but not %s', async (scope, allowed, other) => {
    const client = await clientLimitedTo(scope);
    expect((await client.post(`/proforma_orders/1/${allowed}`, { payment: { payment_method_id: 1 } })).status).toBe(
      404,
    );
    const { status, headers } = await client.post(`/proforma_orders/1/${other}`, {});
    expect([status, headers['www-authenticate']]).toEqual([403, expect.stringContaining('insufficient_scope')]);
    expect((await client.delete('/proforma_orders/1')).status).toBe(403);
    const writer = await clientLimitedTo('proformas:write');
    expect((await writer.post(`/proforma_orders/1/${allowed}`, { payment: { payment_method_id: 1 } })).status).toBe(
      404,
    );
  });

  it('is needed to erase customers, and to shorten the retention of the audit log', async () => {
    const old = await clientLimitedTo('customers:write', 'settings:write');
    expect((await old.post('/customers/1/erase?dataPart=1&timePart=1')).status).toBe(403);
    const shorten = { audit: { retention_days: 30 } };
    expect(await old.patch('/app/settings', shorten)).toMatchObject({
      status: 403,
      body: { errors: { token: 'API.Tokens.ScopeMissing' } },
    });
    expect((await old.patch('/app/settings', { audit: { retention_days: 500 } })).status).toBe(200);
    const auditor = await clientLimitedTo('customers:erase', 'settings:write', 'audit:write');
    expect((await auditor.post('/customers/1/erase?dataPart=1&timePart=1')).status).toBe(404);
    expect((await auditor.patch('/app/settings', shorten)).status).toBe(200);
  });
});

describe('DELETE /access_tokens/{id}', () => {
  it('revokes the token immediately, and keeps the first revocation time when repeated', async () => {
    const token = await createToken();
    const client = clientOf(token);
    expect((await client.get('/stocks')).status).toBe(200);
    expect((await shop.delete(`/access_tokens/${token.id}`)).status).toBe(204);
    const { status, body } = await client.get('/stocks');
    expect([status, body]).toEqual([401, { errors: { token: 'API.Tokens.Revoked' } }]);
    const readTime = async () => (await shop.get('/access_tokens')).body.data[1].revoked_at;
    const revokedAt = await readTime();
    api.clock.forward({ hours: 1 });
    expect((await shop.delete(`/access_tokens/${token.id}`)).status).toBe(204);
    expect(await readTime()).toBe(revokedAt);
  });

  it('ends the upload tokens of the token, and names its webhook endpoints, which go on unless they are ended', async () => {
    const token = await createToken();
    const maker = api.clientWith(shop.appId, token.access_token);
    const url = 'https://example.com/hook';
    const endpoint = (await maker.post('/webhook_endpoints', { webhook_endpoint: { url } })).body.data;
    const upload = (await maker.post('/upload_tokens', { upload_token: {} })).body.data;
    expect([endpoint.created_by, upload.created_by]).toEqual([token.id, token.id]);
    const uploader = api.clientWith(shop.appId, upload.access_token);
    const send = (name: string) => uploader.upload('/cdn/files', { name, bytes: Buffer.from('a') });
    expect((await send('a.txt')).status).toBe(201);
    expect((await shop.delete(`/access_tokens/${token.id}?end_endpoints=maybe`)).status).toBe(400);
    const { status, body } = await shop.delete(`/access_tokens/${token.id}`);
    expect([status, body]).toEqual([
      200,
      { data: { webhook_endpoints: [{ id: endpoint.id, url: 'https://example.com/hook', status: 'active' }] } },
    ]);
    expect((await send('b.txt')).body).toEqual({ errors: { token: 'API.Tokens.Revoked' } });
    const readStatus = async () => (await shop.get(`/webhook_endpoints/${endpoint.id}`)).body.data.status;
    expect(await readStatus()).toBe('active');
    const ended = await shop.delete(`/access_tokens/${token.id}?end_endpoints=true`);
    expect(ended.body.data.webhook_endpoints).toMatchObject([{ id: endpoint.id, status: 'paused' }]);
    expect(await readStatus()).toBe('paused');
  });

  it('leaves the webhook endpoints to the new token after a rotation', async () => {
    const token = await createToken();
    const maker = api.clientWith(shop.appId, token.access_token);
    const webhook_endpoint = { url: 'https://example.com/hook' };
    const { id } = (await maker.post('/webhook_endpoints', { webhook_endpoint })).body.data;
    const rotated = (await shop.post(`/access_tokens/${token.id}/rotate`)).body.data;
    expect((await shop.get(`/webhook_endpoints/${id}`)).body.data.created_by).toBe(rotated.id);
    expect((await shop.delete(`/access_tokens/${token.id}`)).status).toBe(204);
    const { body } = await shop.delete(`/access_tokens/${rotated.id}`, { end_endpoints: true });
    expect(body.data.webhook_endpoints).toMatchObject([{ id, status: 'paused' }]);
  });
});

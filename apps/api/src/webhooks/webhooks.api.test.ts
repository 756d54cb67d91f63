import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { openWebhookReceiver, type ReceivedWebhook, type WebhookReceiver } from '../testing/webhook-receiver.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let shop: Client;
let receiver: WebhookReceiver;

beforeAll(async () => {
  api = await testApi({ WEBHOOK_NETWORKS: '127.0.0.1' });
  // A receiver compares the time in the signature with its own clock, which shows the system time.
  api.clock.setToSystemTime();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  receiver = await openWebhookReceiver();
});
afterEach(() => receiver.close());

// eslint-disable-next-line typescript/no-explicit-any
const addEndpoint = async (fields: object = {}, client = shop): Promise<any> =>
  (await client.post('/webhook_endpoints', { webhook_endpoint: { url: receiver.url, ...fields } })).body.data;
const addCustomer = async (name: string): Promise<void> => {
  const customer = { email: `${name}@example.com`, first_name: name, last_name: 'Kos', external_ref: name };
  expect((await shop.post('/customers', { customer })).status).toBe(201);
};
const onFailed = (_app: number, _id: number, error: unknown): never => {
  throw error;
};
const typesOf = (webhooks: readonly ReceivedWebhook[]): string[] => webhooks.map(({ event }) => event.type);
const subjectsOf = (webhooks: readonly ReceivedWebhook[]): string[] => webhooks.map(({ event }) => event.subject);
const waitForWebhooks = async (count: number, meanwhile = async (): Promise<void> => {}): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while (receiver.received.length < count && Date.now() < deadline) {
    await meanwhile();
    await pause(20);
  }
  expect(receiver.received).toHaveLength(count);
};
const deliveriesOf = async (id: number, query = '') =>
  (await shop.get(`/webhook_endpoints/${id}/deliveries${query}`)).body.data;
const setStock = (count: number) =>
  shop.post('/stock/reconcile', { warehouse_code: 'W1', products: [{ sku: 'A', qty: count }] });

describe('webhook endpoints', () => {
  it('are created with a secret that no other call shows', async () => {
    const reply = await shop.post('/webhook_endpoints', {
      webhook_endpoint: { url: receiver.url, description: 'ERP', types: ['order.created'] },
    });
    expect(reply.status).toBe(201);
    const { secret, ...endpoint } = reply.body.data;
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(endpoint).toMatchObject({
      url: receiver.url,
      description: 'ERP',
      types: ['order.created'],
      subject: null,
      status: 'active',
      status_reason: null,
      failing_since: null,
    });
    expect((await shop.get('/webhook_endpoints')).body.data).toEqual([endpoint]);
    expect((await shop.get(`/webhook_endpoints/${endpoint.id}`)).body.data).toEqual(endpoint);
  });

  it('are changed, paused and removed', async () => {
    const { id } = await addEndpoint({ description: 'ERP' });
    const patch = (fields: object) => shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: fields });
    expect((await patch({ status: 'paused', types: ['stock.changed'] })).body.data).toMatchObject({
      status: 'paused',
      types: ['stock.changed'],
      description: 'ERP',
    });
    expect((await patch({ types: null, description: null })).body.data).toMatchObject({
      status: 'paused',
      types: null,
      description: null,
    });
    expect((await shop.delete(`/webhook_endpoints/${id}`)).status).toBe(204);
    expect((await shop.delete(`/webhook_endpoints/${id}`)).status).toBe(404);
    expect((await patch({ status: 'active' })).status).toBe(404);
  });

  it.each([
    [{ url: 'ftp://example.com' }, 422],
    [{ url: 'https://user:password@example.com' }, 422],
    [{ url: 'https://10.0.0.1/hook' }, 422],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 422],
    [{ url: 'http://0x7f.1.1.1/' }, 422],
    [{ url: 'words' }, 422],
    [{ url: '' }, 422],
    [{ types: [] }, 422],
    [{ types: ['order.payed'] }, 422],
    [{ subject: 'orders' }, 422],
    [{ subject: 5 }, 400],
    [{ url: 'https://example.com/hook' }, 201],
  ])('with the fields %j are answered %i when created', async (fields, status) => {
    const reply = await shop.post('/webhook_endpoints', { webhook_endpoint: { url: receiver.url, ...fields } });
    expect(reply.status).toBe(status);
  });

  it('are limited to twenty per app, even with concurrent calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => shop.post('/webhook_endpoints', { webhook_endpoint: { url: receiver.url } })),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(replies.find(({ status }) => status === 422)?.body).toEqual({
      errors: { Webhooks: ['API.Webhooks.TooManyEndpoints'] },
    });
  });

  it('accept only a kind of record that their event types can have', async () => {
    const contradiction = { types: ['order.created'], subject: 'stocks/5/2' };
    const reply = await shop.post('/webhook_endpoints', {
      webhook_endpoint: { url: receiver.url, ...contradiction },
    });
    expect([reply.status, reply.body]).toEqual([422, { errors: { subject: ['is invalid'] } }]);
    const { id } = await addEndpoint({ types: ['order.created'] });
    const change = await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { subject: 'stocks/5/2' } });
    expect([change.status, change.body]).toEqual([422, { errors: { subject: ['is invalid'] } }]);
  });

  it('are in the audit log without their secrets', async () => {
    const { id, secret } = await addEndpoint();
    await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { status: 'paused' } });
    const rotated = await shop.post(`/webhook_endpoints/${id}/rotate_secret`);
    await shop.delete(`/webhook_endpoints/${id}`);
    const { text, body } = await shop.get(`/audit_log?subject_id=${id}`);
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'webhook_endpoint.remove',
      'webhook_endpoint.rotate_secret',
      'webhook_endpoint.change',
      'webhook_endpoint.create',
    ]);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(rotated.body.data.secret);
  });
});

describe('deliveries', () => {
  it('have a Standard Webhooks signature and the event as the feed shows it', async () => {
    const { secret } = await addEndpoint();
    await addCustomer('ana');
    await api.deliverWebhooks();
    const [webhook] = receiver.received as [ReceivedWebhook];
    expect(new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>)).toEqual(webhook.event);
    expect(webhook.headers['content-type']).toBe('application/json');
    expect((await shop.get('/events')).body.data.events).toEqual([webhook.event]);
  });

  it('start with the first event after the endpoint was created', async () => {
    await addCustomer('old');
    await addEndpoint();
    await addCustomer('new');
    await api.deliverWebhooks();
    expect(receiver.received.map(({ event }) => event.data.first_name)).toEqual(['new']);
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(1);
  });

  it('contain only events of the selected types and record', async () => {
    await stockShop(shop, [
      { code: 'A', stock: 10 },
      { code: 'B', stock: 10 },
    ]);
    const { subject } = (await shop.get('/events?types=stock.changed')).body.data.events[0];
    await addEndpoint({ types: ['stock.changed'], subject });
    await addCustomer('ana');
    await setStock(7);
    await shop.post('/stock/reconcile', { warehouse_code: 'W1', products: [{ sku: 'B', qty: 7 }] });
    await api.deliverWebhooks();
    expect(subjectsOf(receiver.received)).toEqual([subject]);
  });

  it("contain only records that the creator's token may read", async () => {
    const scopes = ['webhooks:read', 'webhooks:write', 'stock:read'];
    const token = (await shop.post('/access_tokens', { access_token: { name: 'Stock', scopes } })).body.data;
    const limited = api.clientWith(shop.appId, token.access_token);
    await addEndpoint({}, limited);
    const { id } = await addEndpoint({ url: 'https://example.com/other', types: ['voucher.used'] });
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    await addCustomer('ana');
    await api.deliverWebhooks();
    expect(new Set(typesOf(receiver.received))).toEqual(new Set(['stock.changed']));
    const redirect = { webhook_endpoint: { url: receiver.url } };
    expect((await limited.patch(`/webhook_endpoints/${id}`, redirect)).body).toEqual({
      errors: { Tokens: ['API.Tokens.ScopeNotHeld'] },
    });
    expect((await limited.post(`/webhook_endpoints/${id}/rotate_secret`)).status).toBe(403);
    const [own] = (await limited.get('/webhook_endpoints')).body.data;
    expect(own.areas).toEqual(['stock', 'webhooks']);
    const widened = { webhook_endpoint: { types: ['stock.changed', 'order.created'] } };
    expect((await shop.patch(`/webhook_endpoints/${own.id}`, widened)).body).toEqual({
      errors: { types: ['is invalid'] },
    });
    const hidden = { url: receiver.url, types: ['stock.changed', 'order.created'] };
    expect((await limited.post('/webhook_endpoints', { webhook_endpoint: hidden })).status).toBe(403);
  });

  it('are shown in the log only to tokens that may read their records', async () => {
    const { id } = await addEndpoint();
    await addCustomer('ana');
    await api.deliverWebhooks();
    const token = (await shop.post('/access_tokens', { access_token: { name: 'Log', scopes: ['webhooks:read'] } }))
      .body;
    const limited = api.clientWith(shop.appId, token.data.access_token);
    expect((await limited.get(`/webhook_endpoints/${id}/deliveries`)).body.data).toEqual([]);
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  it('have signatures made with both secrets until the overlap ends', async () => {
    const { id, secret: oldSecret } = await addEndpoint();
    const { secret: newSecret } = (
      await shop.post(`/webhook_endpoints/${id}/rotate_secret`, { webhook_endpoint: { overlap: '2h' } })
    ).body.data;
    const verify = (secret: string, { body, headers }: ReceivedWebhook) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    await addCustomer('ana');
    await api.deliverWebhooks();
    const [webhook] = receiver.received as [ReceivedWebhook];
    expect(verify(oldSecret, webhook)).toEqual(verify(newSecret, webhook));
    api.clock.forward({ hours: 3 });
    await addCustomer('eva');
    await api.deliverWebhooks();
    api.clock.setToSystemTime();
    const { headers } = receiver.received[1] as ReceivedWebhook;
    expect(headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
  });

  it('are repeated with the same id until the receiver accepts them', async () => {
    const { id } = await addEndpoint();
    let failures = 2;
    receiver.answer = () => ({ status: (failures -= 1) >= 0 ? 500 : 200, body: 'Sorry' });
    await addCustomer('ana');
    await api.deliverWebhooks();
    const [pending] = await deliveriesOf(id);
    expect(pending).toMatchObject({ status: 'pending', attempts: 1, response: { status: 500, body: 'Sorry' } });
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(1);
    for (const seconds of [7, 40]) {
      api.clock.forward({ seconds });
      await api.deliverWebhooks();
    }
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [delivered] = await deliveriesOf(id);
    expect(delivered).toMatchObject({ status: 'delivered', attempts: 3, next_attempt_at: null });
    expect(delivered.request).toEqual({
      url: receiver.url,
      message_id: receiver.received[0]?.headers['webhook-id'],
      bytes: Buffer.byteLength(receiver.received[0]?.body ?? ''),
    });
    api.clock.setToSystemTime();
  });

  it('keep the order of each record without delaying other records', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    const { id } = await addEndpoint();
    let isBroken = true;
    receiver.answer = ({ event }) => ({ status: isBroken && event.type === 'stock.changed' ? 500 : 200 });
    await setStock(1);
    await setStock(2);
    await addCustomer('ana');
    await api.deliverWebhooks();
    await setStock(3);
    await addCustomer('eva');
    await api.deliverWebhooks();
    expect(typesOf(receiver.received).sort()).toEqual(['customer.created', 'customer.created', 'stock.changed']);
    expect(await deliveriesOf(id, '?status=pending')).toMatchObject([
      { attempts: 0, next_attempt_at: null },
      { attempts: 0, next_attempt_at: null },
      { attempts: 1 },
    ]);
    isBroken = false;
    api.clock.forward({ seconds: 60 });
    await api.deliverWebhooks();
    api.clock.setToSystemTime();
    const sequences = receiver.received
      .filter(({ event }) => event.type === 'stock.changed')
      .map(({ event }) => event.sequence);
    expect(sequences).toHaveLength(4);
    expect(sequences).toEqual([...sequences].sort((a: string, b: string) => a.localeCompare(b)));
    expect(await deliveriesOf(id, '?status=pending')).toEqual([]);
  });

  it('wait as long as the receiver asks', async () => {
    await addEndpoint();
    receiver.answer = () => ({ status: 429, headers: { 'Retry-After': '120' } });
    await addCustomer('ana');
    await api.deliverWebhooks();
    receiver.answer = () => ({ status: 200 });
    api.clock.forward({ seconds: 100 });
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(1);
    api.clock.forward({ seconds: 25 });
    await api.deliverWebhooks();
    api.clock.setToSystemTime();
    expect(receiver.received).toHaveLength(2);
  });

  it('stop immediately when the receiver asks for a pause', async () => {
    await addEndpoint();
    receiver.answer = () => ({ status: 429, headers: { 'Retry-After': '60' } });
    for (let index = 0; index < 60; index += 1) await addCustomer(`c${index}`);
    await api.deliverWebhooks();
    expect(receiver.received.length).toBeLessThanOrEqual(16);
  });

  it('continue with new events while one event is always refused', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    await addEndpoint();
    receiver.answer = ({ event }) => ({ status: event.type === 'stock.changed' ? 500 : 200 });
    await setStock(1);
    for (let turn = 0; turn < 6; turn += 1) {
      await api.deliverWebhooks();
      api.clock.forward({ hours: 1 });
    }
    receiver.received.length = 0;
    await addCustomer('ana');
    await api.deliverWebhooks();
    expect(typesOf(receiver.received)).toContain('customer.created');
    api.clock.setToSystemTime();
  });

  it('do not follow redirects', async () => {
    const { id } = await addEndpoint();
    receiver.answer = () => ({ status: 302, headers: { Location: receiver.url } });
    await addCustomer('ana');
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending', response: { status: 302 } }]);
  });

  it('stop after three days of failures, and continue when the endpoint is active again', async () => {
    const { id } = await addEndpoint();
    receiver.answer = () => ({ status: 500 });
    await addCustomer('ana');
    for (let hour = 0; hour <= 73; hour += 1) {
      await api.deliverWebhooks();
      api.clock.forward({ hours: 1 });
    }
    expect((await shop.get(`/webhook_endpoints/${id}`)).body.data).toMatchObject({
      status: 'switched_off',
      status_reason: 'No delivery succeeded for three days.',
    });
    const count = receiver.received.length;
    await addCustomer('eva');
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(count);
    receiver.answer = () => ({ status: 200 });
    await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { status: 'active' } });
    await api.deliverWebhooks();
    expect(receiver.received.slice(count).map(({ event }) => event.data.first_name)).toContain('eva');
    expect(await deliveriesOf(id, '?status=failed')).toMatchObject([{ subject: receiver.received[0]?.event.subject }]);
    expect((await shop.post(`/webhook_endpoints/${id}/replay`, { replay: { failed: true } })).body.data).toEqual({
      events: 1,
    });
    await api.deliverWebhooks();
    expect(receiver.received.at(-1)?.event.data.first_name).toBe('ana');
    expect(await deliveriesOf(id, '?status=failed')).toEqual([]);
    api.clock.setToSystemTime();
  });

  it('stop when the endpoint answers 410; the feed and another endpoint report this once', async () => {
    const { id } = await addEndpoint({ types: ['customer.created'] });
    const watchingReceiver = await openWebhookReceiver();
    await addEndpoint({ url: watchingReceiver.url, types: ['webhook_endpoint.switched_off'] });
    receiver.answer = () => ({ status: 410 });
    await addCustomer('ana');
    await api.deliverWebhooks();
    await addCustomer('eva');
    await api.deliverWebhooks();
    const { data: endpoint } = (await shop.get(`/webhook_endpoints/${id}`)).body;
    expect(endpoint).toMatchObject({ status: 'switched_off', status_reason: 'The endpoint answered 410 Gone.' });
    expect(watchingReceiver.received.map(({ event }) => [event.subject, event.data])).toEqual([
      [`webhook_endpoints/${id}`, endpoint],
    ]);
    const feed = (await shop.get(`/events?subject=webhook_endpoints/${id}`)).body.data;
    const patch = (url: string) => shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { url } });
    expect(await patch('')).toMatchObject({ status: 422, body: { errors: { url: ['API.Webhooks.UrlNotAllowed'] } } });
    expect((await patch(`${receiver.url}/new`)).body.data).toMatchObject({ status: 'active', status_reason: null });
    expect(feed.events).toEqual(watchingReceiver.received.map(({ event }) => event));
    await watchingReceiver.close();
  });

  it('are neither sent nor counted again when the endpoint is changed during the turn', async () => {
    const { id } = await addEndpoint();
    const rename = () => shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { description: 'New ERP' } });
    receiver.answer = async ({ event }) => {
      await rename();
      return { status: event.data.first_name === 'eva' ? 500 : 204 };
    };
    await addCustomer('ana');
    await addCustomer('eva');
    await api.deliverWebhooks();
    receiver.answer = () => ({ status: 204 });
    await api.deliverWebhooks();
    expect(subjectsOf(receiver.received)).toHaveLength(2);
    expect(await deliveriesOf(id)).toMatchObject([
      { status: 'pending', attempts: 1, first_attempt_at: expect.any(String) },
      { status: 'delivered', attempts: 1 },
    ]);
    await addCustomer('iva');
    await api.deliverWebhooks();
    expect(receiver.received.map(({ event }) => event.data.first_name)).toEqual(['ana', 'eva', 'iva']);
  });

  it('continue when the endpoint changes after a turn that did not send all events', async () => {
    const { id } = await addEndpoint();
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    await api.deliverWebhooks();
    receiver.received.length = 0;
    const stopping = new AbortController();
    receiver.answer = async () => {
      await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: {} });
      stopping.abort();
      return { status: 204 };
    };
    for (const count of [11, 12, 13]) await setStock(count);
    const dispatcher = api.container.get(TOKENS.WebhookDispatcher);
    await dispatcher.start(stopping.signal, { switchedOff: () => {}, failed: onFailed });
    await dispatcher.idle();
    receiver.answer = () => ({ status: 204 });
    await api.deliverWebhooks();
    await api.deliverWebhooks();
    const ids = receiver.received.map(({ event }) => Number(event.id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(3);
    expect(await deliveriesOf(id, '?status=pending')).toEqual([]);
  });

  it('give a failing endpoint one repeat and one new event at a time, and all events after its recovery', async () => {
    const { id } = await addEndpoint();
    receiver.answer = () => ({ status: 503 });
    for (let index = 0; index < 5; index += 1) {
      await addCustomer(`c${index}`);
      await api.deliverWebhooks();
      api.clock.forward({ seconds: 60 });
    }
    const count = receiver.received.length;
    for (let index = 5; index < 10; index += 1) await addCustomer(`c${index}`);
    await api.deliverWebhooks();
    expect(receiver.received.length - count).toBeLessThanOrEqual(2);
    receiver.answer = () => ({ status: 200 });
    for (let turn = 0; turn < 3; turn += 1) {
      api.clock.forward({ seconds: 120 });
      await api.deliverWebhooks();
    }
    expect(await deliveriesOf(id, '?status=delivered&limit=50')).toHaveLength(10);
    api.clock.setToSystemTime();
  });

  it('keep the order of a record when a failing endpoint recovers', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    const { id } = await addEndpoint();
    receiver.answer = () => ({ status: 503 });
    await setStock(1);
    await setStock(2);
    for (const name of ['a', 'b', 'c']) {
      await api.deliverWebhooks();
      api.clock.forward({ seconds: 3_600 });
      await addCustomer(name);
    }
    await api.deliverWebhooks();
    await setStock(3);
    receiver.answer = () => ({ status: 200 });
    receiver.received.length = 0;
    for (let turn = 0; turn < 3; turn += 1) {
      api.clock.forward({ seconds: 3_600 });
      await api.deliverWebhooks();
    }
    api.clock.setToSystemTime();
    const sequences = receiver.received
      .filter(({ event }) => event.type === 'stock.changed')
      .map(({ event }) => event.sequence);
    expect(sequences).toHaveLength(3);
    expect(sequences).toEqual([...sequences].sort((a: string, b: string) => a.localeCompare(b)));
    expect(await deliveriesOf(id, '?status=pending')).toEqual([]);
  });

  it('are replayed by id and by time', async () => {
    const { id } = await addEndpoint();
    await addCustomer('ana');
    api.clock.forward({ seconds: 600 });
    await addCustomer('eva');
    await api.deliverWebhooks();
    const replay = (fields: object) => shop.post(`/webhook_endpoints/${id}/replay`, { replay: fields });
    const [evaEvent, anaEvent] = await deliveriesOf(id);
    expect((await replay({ event_ids: [anaEvent.event_id] })).body.data).toEqual({ events: 1 });
    await api.deliverWebhooks();
    expect(receiver.received.at(-1)?.event.id).toBe(anaEvent.event_id);
    expect((await replay({ from: evaEvent.time, until: evaEvent.time })).body.data).toEqual({ events: 1 });
    await api.deliverWebhooks();
    expect(receiver.received.at(-1)?.event.id).toBe(evaEvent.event_id);
    expect(receiver.received).toHaveLength(4);
    for (const fields of [{}, { failed: false }, { failed: true, event_ids: ['1'] }, { from: evaEvent.time }])
      expect((await replay(fields)).body).toEqual({ errors: { Webhooks: ['API.Webhooks.OneSelection'] } });
    api.clock.setToSystemTime();
  });

  it('wait while their endpoint is paused', async () => {
    const { id } = await addEndpoint();
    await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { status: 'paused' } });
    await addCustomer('ana');
    await api.deliverWebhooks();
    expect(receiver.received).toEqual([]);
    await shop.patch(`/webhook_endpoints/${id}`, { webhook_endpoint: { status: 'active' } });
    await api.deliverWebhooks();
    expect(receiver.received).toHaveLength(1);
  });

  it('are not delayed by an endpoint that hangs', async () => {
    const hangingReceiver = await openWebhookReceiver();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    hangingReceiver.answer = async () => {
      await held;
      return { status: 200 };
    };
    await addEndpoint({ url: hangingReceiver.url });
    await addEndpoint();
    await addCustomer('ana');
    const dispatcher = api.container.get(TOKENS.WebhookDispatcher);
    const report = { switchedOff: () => {}, failed: () => {} };
    const neverAborted = new AbortController().signal;
    for (let count = 1; count <= 3; count += 1) {
      // A start is ignored while the last turn stores its result, so the test starts turns repeatedly, as the worker
      // does.
      await waitForWebhooks(count, () => dispatcher.start(neverAborted, report));
      await addCustomer(`c${count}`);
    }
    expect(receiver.received).toHaveLength(3);
    expect(hangingReceiver.received).toHaveLength(1);
    release();
    await dispatcher.idle();
    await hangingReceiver.close();
  });

  it('contain only the path of a record that is too large', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    await addEndpoint({ types: ['product.created'] });
    const variants = Array.from({ length: 1_000 }, (_, index) => ({ code: `V${index}`, name: 'x'.repeat(250) }));
    const reply = await shop.post('/int/products', {
      products: [{ code: 'LARGE', name: 'Large', price: 1, variants }],
    });
    expect(reply.status).toBe(200);
    await api.deliverWebhooks();
    const { event, body } = receiver.received.at(-1) as ReceivedWebhook;
    expect(event).toMatchObject({ type: 'product.created', data: null, dataref: '/api/v2/products' });
    expect(body.length).toBeLessThan(1_000);
  });

  it('report each step of a sale', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    await addEndpoint();
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 };
    await shop.post(`/proforma_orders/${id}/pay`, { payment });
    await shop.post(`/proforma_orders/${id}/convert`);
    await api.deliverWebhooks();
    const proformaWebhooks = receiver.received.filter(({ event }) => event.subject === `proforma_orders/${id}`);
    expect(typesOf(proformaWebhooks)).toEqual([
      'proforma.created',
      'proforma.payment_received',
      'proforma.paid',
      'proforma.converted',
    ]);
    expect(typesOf(receiver.received)).toContain('order.created');
  });
});

describe('a test event', () => {
  it('is sent immediately and shows the answer', async () => {
    const { id, secret } = await addEndpoint();
    receiver.answer = () => ({ status: 418, body: 'x'.repeat(5_000) });
    const { body } = await shop.post(`/webhook_endpoints/${id}/test`);
    expect(body.data).toEqual({
      delivered: false,
      status: 418,
      error: null,
      latency_ms: expect.any(Number),
      response: 'x'.repeat(1_024),
    });
    const [webhook] = receiver.received as [ReceivedWebhook];
    expect(new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>)).toMatchObject({
      type: 'webhook.test',
    });
    expect(await deliveriesOf(id)).toEqual([]);
  });

  it('reports why nothing was sent', async () => {
    const { id } = await addEndpoint({ url: 'https://localhost.invalid/hook' });
    expect((await shop.post(`/webhook_endpoints/${id}/test`)).body.data).toMatchObject({
      delivered: false,
      error: 'connection_failed',
    });
  });
});

it('the metrics show the age of the oldest undelivered event', async () => {
  const { id } = await addEndpoint({ url: 'https://localhost.invalid/hook' });
  await addCustomer('ana');
  const metrics = await (await fetch(`${api.origin}/metrics`)).text();
  expect(metrics).toContain(`webhook_oldest_undelivered_event_seconds{app="${shop.appId}",endpoint="${id}"}`);
  expect(metrics).toMatch(/webhook_attempts_total\{result="delivered"\} \d+/);
});

import { newCustomer } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const start = async (fields: object = {}, client = shop) =>
  (await client.post('/sessions', { session: { device: { uuid: 'phone', device_type: 'ios' }, ...fields } })).body.data;
const statusOf = async ({ access_token: token }: { access_token: string }) => {
  const { status, body } = await api.clientWith(shop.appId, token).get('/customer/consents');
  return status === 401 ? body.errors.token : status;
};
const list = async (query = '') => (await shop.get(`/sessions${query}`)).body.data;

describe('GET /sessions', () => {
  it('lists sessions with their device and times, without tokens', async () => {
    const customer = await newCustomer(shop, 'ana@example.com');
    const { customer_id: customerId } = customer;
    const session = await start(customer);
    const anonymousSession = await start();
    expect(await list()).toEqual([
      {
        id: session.id,
        customer_id: customerId,
        device: { uuid: 'phone', device_type: 'ios' },
        inserted_at: api.clock.now().toISOString().slice(0, 19),
        last_used_at: null,
        expires_at: session.expires_at,
        ended_at: null,
      },
      expect.objectContaining({ id: anonymousSession.id, customer_id: null }),
    ]);
    expect((await list(`?customer_id=${customerId}`)).map(({ id }: { id: number }) => id)).toEqual([session.id]);
    expect(await list(`?customer_id=987654321`)).toEqual([]);
    expect((await shop.get('/sessions?customer_id=x')).status).toBe(400);
    expect((await (await api.app()).get('/sessions')).body.data).toEqual([]);
  });

  it('lists only running sessions with `active`', async () => {
    const [ended, expired, active] = [await start(), await start({ expires_in: 60 }), await start()];
    await shop.delete(`/sessions/${ended.id}`);
    api.clock.forward({ seconds: 60 });
    expect((await list('?active=true')).map(({ id }: { id: number }) => id)).toEqual([active.id]);
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([ended.id, expired.id, active.id]);
  });
});

describe('DELETE /sessions/{id}', () => {
  it('ends the session immediately, and adds an entry to the audit log', async () => {
    const [session, other] = [await start(), await start()];
    expect(await statusOf(session)).toBe(422);
    expect((await shop.delete(`/sessions/${session.id}`)).status).toBe(204);
    expect([await statusOf(session), await statusOf(other)]).toEqual(['API.Tokens.Revoked', 422]);
    expect((await shop.delete(`/sessions/${session.id}`)).status).toBe(204);
    const { body } = await shop.get('/audit_log?action=session.end');
    expect(body.data).toMatchObject([{ actor: 'app', subject_id: session.id }]);
  });
});

describe('DELETE /sessions', () => {
  it('ends all sessions of one customer', async () => {
    const customer = await newCustomer(shop, 'ana@example.com');
    const { customer_id: id } = customer;
    const sessions = [await start(customer), await start(customer), await start()];
    expect((await shop.delete(`/sessions?customer_id=${id}`)).body).toEqual({ data: { ended: 2 } });
    const states: (string | number)[] = [];
    for (const session of sessions) states.push(await statusOf(session));
    expect(states).toEqual(['API.Tokens.Revoked', 'API.Tokens.Revoked', 422]);
    expect((await shop.delete(`/sessions?customer_id=${id}`)).body).toEqual({ data: { ended: 0 } });
    expect((await (await api.app()).delete(`/sessions?customer_id=${id}`)).body).toEqual({ data: { ended: 0 } });
    expect((await shop.delete('/sessions')).status).toBe(400);
  });
});

describe('the life of a session', () => {
  const DAY_HOURS = 24;
  const daysUntil = (time: string) => (Date.parse(`${time}Z`) - api.clock.now().getTime()) / 86_400_000;

  it('is at most 90 days, or as set by the app', async () => {
    expect(daysUntil((await start({ expires_in: '3650d' })).expires_at)).toBe(90);
    expect(daysUntil((await start({ expires_in: '89d' })).expires_at)).toBe(89);
    await shop.patch('/app/settings', { sessions: { max_days: 60 } });
    expect(daysUntil((await start({ expires_in: '3650d' })).expires_at)).toBe(60);
    await shop.patch('/app/settings', { sessions: { max_days: 1 } });
    expect(daysUntil((await start()).expires_at)).toBe(1);
  });

  it('ends after 30 days without a call, or as set by the app', async () => {
    const [idle, used] = [await start({ expires_in: '80d' }), await start({ expires_in: '80d' })];
    api.clock.forward({ hours: 29 * DAY_HOURS });
    expect(await statusOf(used)).toBe(422);
    await api.container.get(TOKENS.TokenUses).flush();
    api.clock.forward({ hours: DAY_HOURS });
    expect([await statusOf(idle), await statusOf(used)]).toEqual(['API.Tokens.Expired', 422]);
    expect((await shop.get('/sessions?active=true')).body.data).toHaveLength(1);
    await shop.patch('/app/settings', { sessions: { idle_days: 60 } });
    expect([await statusOf(idle), await statusOf(used)]).toEqual([422, 422]);
    await shop.patch('/app/settings', { sessions: { idle_days: 1 } });
    expect([await statusOf(idle), await statusOf(used)]).toEqual(['API.Tokens.Expired', 'API.Tokens.Expired']);
  });

  it.each([{ idle_days: 0 }, { max_days: 0 }, { max_days: 91 }, { idle_days: 91 }])(
    'cannot be set to %j',
    async (sessions) => {
      expect((await shop.patch('/app/settings', { sessions })).status).toBe(422);
    },
  );
});

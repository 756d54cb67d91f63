import { sum } from '@back-office/kernel';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { startServer, type ServerProcess } from '../testing/server-process.js';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

// The service runs in a process that is killed; a second one shows what it wrote.

/** `holds` reads without answering; `deaf` does not read; `cuts` closes the connection. */
type Behavior = 'pays' | 'holds' | 'deaf' | 'cuts';

/** A payment service that pays at most once per key. */
class Gateway {
  behavior: Behavior = 'pays';
  /** Keys in the order of the requests, with repeats. */
  readonly asked: string[] = [];
  readonly paid = new Map<string, number>();
  connections = 0;
  private readonly amounts = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private readonly http = createHttpServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    void json(request).then((body) => this.answer(key, (body as { amount: number }).amount, response));
  });
  private readonly door = createServer((socket) => this.receive(socket));

  async open(): Promise<string> {
    this.door.listen(0, '127.0.0.1');
    await once(this.door, 'listening');
    return `http://127.0.0.1:${(this.door.address() as AddressInfo).port}/refunds`;
  }

  pay(key: string): void {
    if (!this.paid.has(key)) this.paid.set(key, this.amounts.get(key) ?? NaN);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.door.close();
  }

  private receive(socket: Socket): void {
    this.sockets.add(socket);
    // A killed process resets its connections.
    socket.on('error', () => socket.destroy());
    this.connections += 1;
    if (this.behavior === 'cuts') socket.destroy();
    else if (this.behavior !== 'deaf') this.http.emit('connection', socket);
  }

  private answer(key: string, amount: number, response: ServerResponse): void {
    this.asked.push(key);
    this.amounts.set(key, amount);
    if (this.behavior === 'holds') return;
    this.pay(key);
    response.writeHead(200).end();
  }
}

let api: TestApi;
let shop: Client;
let gateway: Gateway;
let environment: Record<string, string>;
let running: ServerProcess | undefined;

beforeAll(async () => {
  api = await testApi();
  api.clock.catchUp();
});
afterAll(() => api.close());

beforeEach(async () => {
  gateway = new Gateway();
  environment = { DATABASE_URL: api.url, REFUND_URL: await gateway.open(), LOG_LEVEL: 'silent', WORKER: 'inline' };
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100 }]);
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  gateway.close();
});

async function start(): Promise<Client> {
  running = await startServer(environment);
  return api.through(shop, [running.origin]);
}

const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    () => 'cut off',
  );

const kill = async (): Promise<void> => {
  await running?.stop('SIGKILL');
};

/** Id of a proforma with 100 paid by bank transfer and 200 by card. */
async function paidByBankAndCard(): Promise<number> {
  const { id } = await propose(shop, [{ code: 'A', qty: 3 }]);
  const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 100 };
  await shop.post(`/proforma_orders/${id}/pay`, { payment });
  const { body } = await shop.post(`/proforma_orders/${id}/card_payments`, { payment: {} });
  const card = `/proforma_orders/${id}/card_payments/${body.data.payments.at(-1).id}/result`;
  const paid = await shop.post(card, { result: { status: 'settled', reference: 'tx-1' } });
  expect(paid.body.data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
  return id;
}

// eslint-disable-next-line typescript/no-explicit-any
const shown = async (id: number): Promise<any> => (await shop.get(`/proforma_orders/${id}`)).body.data;

async function statuses(id: number): Promise<[number, string][]> {
  const { payments } = await shown(id);
  return payments.map((each: { amount: number; payment_status: string }) => [each.amount, each.payment_status]);
}

const CAPTURED = [
  [100, 'settled'],
  [200, 'settled'],
];
const PENDING = [...CAPTURED, [-200, 'pending'], [-100, 'pending']];
const REFUNDED = [...CAPTURED, [-200, 'refunded'], [-100, 'refunded']];

/** Ends the pause before the worker's next attempts. Returns how many refunds were waiting. */
async function endPause(): Promise<number> {
  const due = await api.database.rows(
    `update payments set next_attempt_at = now() where app_id = $1 and next_attempt_at is not null returning id`,
    [shop.appId],
  );
  return due.length;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 8_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Timed out; asked for: ${gateway.asked.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const nothingIsPending = async (id: number): Promise<boolean> =>
  (await statuses(id)).every(([, status]) => status !== 'pending');

async function expectAllPaidBack(id: number): Promise<void> {
  expect(await statuses(id)).toEqual(REFUNDED);
  expect(await shown(id)).toMatchObject({ proforma_status: 'canceled', paid: 0, alerts: [] });
}

describe('a service killed while the gateway holds its answers', () => {
  it('retries under the same keys, and each refund is paid once', async () => {
    const [client, id] = await Promise.all([start(), paidByBankAndCard()]);
    gateway.behavior = 'holds';
    const outcome = outcomeOf(client.delete(`/proforma_orders/${id}`));
    await until(() => gateway.asked.length === 2);
    await kill();
    expect(await outcome).toBe('cut off');
    expect(await statuses(id)).toEqual(PENDING);

    const [first = '', second = ''] = gateway.asked;
    // The gateway has received the other refund without paying it.
    gateway.pay(first);
    gateway.behavior = 'pays';
    expect(await endPause()).toBe(2);
    await start();
    await until(() => nothingIsPending(id));
    expect(gateway.asked.slice(2).sort()).toEqual([first, second].sort());
    expect([gateway.paid.size, sum([...gateway.paid.values()])]).toEqual([2, 300]);
    await expectAllPaidBack(id);
    expect(await endPause()).toBe(0);
  });
});

describe('a service killed before the gateway has received its refunds', () => {
  it('asks after its restart, and each refund is paid once', async () => {
    const [client, cutOff, unread] = await Promise.all([start(), paidByBankAndCard(), paidByBankAndCard()]);
    gateway.behavior = 'cuts';
    expect((await client.delete(`/proforma_orders/${cutOff}`)).status).toBe(204);
    gateway.behavior = 'deaf';
    const before = gateway.connections;
    const outcome = outcomeOf(client.delete(`/proforma_orders/${unread}`));
    await until(() => gateway.connections === before + 2);
    await kill();
    expect(await outcome).toBe('cut off');
    expect(gateway.asked).toEqual([]);
    expect([await statuses(cutOff), await statuses(unread)]).toEqual([PENDING, PENDING]);

    gateway.behavior = 'pays';
    expect(await endPause()).toBe(4);
    await start();
    await until(async () => (await nothingIsPending(cutOff)) && nothingIsPending(unread));
    expect(gateway.asked).toHaveLength(4);
    expect([gateway.paid.size, sum([...gateway.paid.values()])]).toEqual([4, 600]);
    await expectAllPaidBack(cutOff);
    await expectAllPaidBack(unread);
    expect(await endPause()).toBe(0);
  });
});

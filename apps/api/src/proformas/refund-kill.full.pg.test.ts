import { sum } from '@back-office/kernel';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { startServer, type ServerProcess } from '../testing/server-process.js';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { useWholeBody } from '../testing/whole-body.js';

/** `silent` reads requests without answering; `deaf` never reads them; `cuts` closes the connection. */
type Behavior = 'pays' | 'silent' | 'deaf' | 'cuts';

class PaymentGateway {
  behavior: Behavior = 'pays';
  readonly requestedKeys: string[] = [];
  readonly amountByPaidKey = new Map<string, number>();
  connections = 0;
  private readonly amounts = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private readonly httpServer = createHttpServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    useWholeBody(request, (body) => {
      const { amount } = JSON.parse(String(body)) as { amount: number };
      this.answer(key, amount, response);
    });
  });
  private readonly tcpServer = createServer((socket) => this.accept(socket));

  async open(): Promise<string> {
    this.tcpServer.listen(0, '127.0.0.1');
    await once(this.tcpServer, 'listening');
    return `http://127.0.0.1:${(this.tcpServer.address() as AddressInfo).port}/refunds`;
  }

  pay(key: string): void {
    if (!this.amountByPaidKey.has(key)) this.amountByPaidKey.set(key, this.amounts.get(key) ?? NaN);
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.tcpServer.close();
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    // When a process is killed, its connections are reset, so the socket emits an error here.
    socket.on('error', () => socket.destroy());
    this.connections += 1;
    if (this.behavior === 'cuts') socket.destroy();
    else if (this.behavior !== 'deaf') this.httpServer.emit('connection', socket);
  }

  private answer(key: string, amount: number, response: ServerResponse): void {
    this.requestedKeys.push(key);
    this.amounts.set(key, amount);
    if (this.behavior === 'silent') return;
    this.pay(key);
    response.writeHead(200).end();
  }
}

let api: TestApi;
let shop: Client;
let gateway: PaymentGateway;
let environment: Record<string, string>;
let runningServer: ServerProcess | undefined;

beforeAll(async () => {
  api = await testApi();
  api.clock.setToSystemTime();
});
afterAll(() => api.close());

beforeEach(async () => {
  gateway = new PaymentGateway();
  environment = { DATABASE_URL: api.url, REFUND_URL: await gateway.open(), LOG_LEVEL: 'silent', WORKER: 'inline' };
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100 }]);
});
afterEach(async () => {
  await runningServer?.stop('SIGKILL');
  gateway.close();
});

async function startService(): Promise<Client> {
  runningServer = await startServer(environment);
  return api.withOrigins(shop, [runningServer.origin]);
}

const awaitOutcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    () => 'cut off',
  );

const killService = async (): Promise<void> => {
  await runningServer?.stop('SIGKILL');
};

async function payByBankAndCard(): Promise<number> {
  const { id } = await propose(shop, [{ code: 'A', qty: 3 }]);
  const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 100 };
  await shop.post(`/proforma_orders/${id}/pay`, { payment });
  const { body } = await shop.post(`/proforma_orders/${id}/card_payments`, { payment: {} });
  const resultPath = `/proforma_orders/${id}/card_payments/${body.data.payments.at(-1).id}/result`;
  const paidReply = await shop.post(resultPath, { result: { status: 'settled', reference: 'tx-1' } });
  expect(paidReply.body.data).toMatchObject({ proforma_status: 'paid', paid: 300, debt: 0 });
  return id;
}

// eslint-disable-next-line typescript/no-explicit-any
const readProforma = async (id: number): Promise<any> => (await shop.get(`/proforma_orders/${id}`)).body.data;

async function readStatuses(id: number): Promise<[number, string][]> {
  const { payments } = await readProforma(id);
  return payments.map((payment: { amount: number; payment_status: string }) => [
    payment.amount,
    payment.payment_status,
  ]);
}

const CAPTURED = [
  [100, 'settled'],
  [200, 'settled'],
];
const PENDING = [...CAPTURED, [-200, 'pending'], [-100, 'pending']];
const REFUNDED = [...CAPTURED, [-200, 'refunded'], [-100, 'refunded']];

async function makeRefundsDue(): Promise<number> {
  const rows = await api.database.rows(
    `update payments set next_attempt_at = now() where app_id = $1 and next_attempt_at is not null returning id`,
    [shop.appId],
  );
  return rows.length;
}

async function waitUntil(isReached: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 8_000;
  while (!(await isReached())) {
    if (Date.now() > deadline) throw new Error(`Timed out; asked for: ${gateway.requestedKeys.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const hasNoPendingRefund = async (id: number): Promise<boolean> =>
  (await readStatuses(id)).every(([, status]) => status !== 'pending');

async function expectAllRefunded(id: number): Promise<void> {
  expect(await readStatuses(id)).toEqual(REFUNDED);
  expect(await readProforma(id)).toMatchObject({ proforma_status: 'canceled', paid: 0, alerts: [] });
}

describe('a service killed while the gateway withholds its answers', () => {
  it('retries with the same keys, and pays each refund once', async () => {
    const [client, id] = await Promise.all([startService(), payByBankAndCard()]);
    gateway.behavior = 'silent';
    const outcome = awaitOutcome(client.delete(`/proforma_orders/${id}`));
    await waitUntil(() => gateway.requestedKeys.length === 2);
    await killService();
    expect(await outcome).toBe('cut off');
    expect(await readStatuses(id)).toEqual(PENDING);

    const [firstKey = '', secondKey = ''] = gateway.requestedKeys;
    // The gateway pays only one of the two refunds that it has received.
    gateway.pay(firstKey);
    gateway.behavior = 'pays';
    expect(await makeRefundsDue()).toBe(2);
    await startService();
    await waitUntil(() => hasNoPendingRefund(id));
    expect(gateway.requestedKeys.slice(2).sort()).toEqual([firstKey, secondKey].sort());
    expect([gateway.amountByPaidKey.size, sum([...gateway.amountByPaidKey.values()])]).toEqual([2, 300]);
    await expectAllRefunded(id);
    expect(await makeRefundsDue()).toBe(0);
  });
});

describe('a service killed before the gateway has received its refunds', () => {
  it('requests the refunds after a restart, and pays each refund once', async () => {
    const [client, cutOffId, unreadId] = await Promise.all([startService(), payByBankAndCard(), payByBankAndCard()]);
    gateway.behavior = 'cuts';
    expect((await client.delete(`/proforma_orders/${cutOffId}`)).status).toBe(204);
    gateway.behavior = 'deaf';
    const connectionsBefore = gateway.connections;
    const outcome = awaitOutcome(client.delete(`/proforma_orders/${unreadId}`));
    await waitUntil(() => gateway.connections === connectionsBefore + 2);
    await killService();
    expect(await outcome).toBe('cut off');
    expect(gateway.requestedKeys).toEqual([]);
    expect([await readStatuses(cutOffId), await readStatuses(unreadId)]).toEqual([PENDING, PENDING]);

    gateway.behavior = 'pays';
    expect(await makeRefundsDue()).toBe(4);
    await startService();
    await waitUntil(async () => (await hasNoPendingRefund(cutOffId)) && hasNoPendingRefund(unreadId));
    expect(gateway.requestedKeys).toHaveLength(4);
    expect([gateway.amountByPaidKey.size, sum([...gateway.amountByPaidKey.values()])]).toEqual([4, 600]);
    await expectAllRefunded(cutOffId);
    await expectAllRefunded(unreadId);
    expect(await makeRefundsDue()).toBe(0);
  });
});

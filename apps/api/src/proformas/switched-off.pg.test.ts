import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { evaluate, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { LOCK_WAITS } from '../testing/lock-waits.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let lockingClient: pg.Client;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  lockingClient = new pg.Client(api.url);
  await lockingClient.connect();
});
afterAll(async () => {
  await lockingClient.end();
  await api.close();
});
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', stock: 10 }]);
});

const setSellable = (sellable: boolean): Promise<Reply> =>
  shop.put('/warehouse', { warehouses: [warehouse('W1', { sellable })] });
const LOCK_STOCK = 'select 1 from stocks where app_id = $1 for update';
const LOCK_WAREHOUSES = 'select 1 from warehouses where app_id = $1 for update';
const SWITCH_OFF = 'update warehouses set sellable = false where app_id = $1';

async function runWhileWaiting(
  statement: string,
  call: () => Promise<Reply>,
  action: () => Promise<unknown>,
): Promise<Reply> {
  await lockingClient.query('begin');
  await lockingClient.query(statement, [shop.appId]);
  const reply = call();
  await waitForLock();
  await action();
  await lockingClient.query('commit');
  return reply;
}

async function waitForLock(): Promise<void> {
  while ((await api.database.rows(LOCK_WAITS)).length === 0) await setTimeout(10);
}

const createProforma = (evaluationId: number, client = shop): Promise<Reply> =>
  client.post('/proforma_orders', { order_processing_id: evaluationId });
const INSUFFICIENT_STOCK = [422, { errors: { message: ['Insufficient stock for product: Product A'] } }];
const expectNothingReserved = async (): Promise<void> => {
  expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 10, reserved: 0 });
  const proformas = await api.database.rows('select 1 from proforma_orders where app_id = $1', [shop.appId]);
  expect(proformas).toEqual([]);
};

describe('switching a warehouse off while a new proforma waits for its stock', () => {
  it('refuses the proforma and keeps the evaluation usable', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const { status, body } = await runWhileWaiting(
      LOCK_STOCK,
      () => createProforma(evaluationId),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT_STOCK);
    await expectNothingReserved();
    await setSellable(true);
    expect((await createProforma(evaluationId)).status).toBe(201);
  });

  it('reserves in the next warehouse that has enough stock', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 5 }]);
    const evaluationId = await evaluate(shop, [
      { code: 'A', qty: 2 },
      { code: 'A', qty: 1 },
    ]);
    const { status, body } = await runWhileWaiting(
      LOCK_STOCK,
      () => createProforma(evaluationId),
      () => setSellable(false),
    );
    expect(status).toBe(201);
    expect(body.data.items).toMatchObject([{ warehouse_code: 'W2' }, { warehouse_code: 'W2' }]);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 15, reserved: 3 });
  });

  it('refuses an evaluation that names the warehouse', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }], { warehouse_code: 'W1' });
    const { status, body } = await runWhileWaiting(
      LOCK_STOCK,
      () => createProforma(evaluationId),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT_STOCK);
    await expectNothingReserved();
  });

  it('refuses a keyed call and its repeat', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const keyedShop = shop.keyed('once');
    const firstReply = await runWhileWaiting(
      LOCK_STOCK,
      () => createProforma(evaluationId, keyedShop),
      () => setSellable(false),
    );
    expect([firstReply.status, firstReply.body]).toEqual(INSUFFICIENT_STOCK);
    await setSellable(true);
    const secondReply = await createProforma(evaluationId, keyedShop);
    expect([secondReply.text, secondReply.headers['idempotency-replayed']]).toEqual([firstReply.text, 'true']);
    await expectNothingReserved();
  });
});

it('a new proforma that waits for its stock is accepted when the warehouse stays sellable', async () => {
  const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }]);
  const { status } = await runWhileWaiting(
    LOCK_STOCK,
    () => createProforma(evaluationId),
    () => setSellable(true),
  );
  expect(status).toBe(201);
});

describe('switching a warehouse off while a new proforma is stored', () => {
  it('makes the proforma wait, and then refuses it', async () => {
    const evaluationId = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const { status, body } = await runWhileWaiting(
      LOCK_WAREHOUSES,
      () => createProforma(evaluationId),
      () => lockingClient.query(SWITCH_OFF, [shop.appId]),
    );
    expect([status, body]).toEqual(INSUFFICIENT_STOCK);
    await expectNothingReserved();
  });
});

describe('switching a warehouse off while a confirmation waits for its stock', () => {
  const confirm = async (proforma: { id: number; items: { proforma_order_item_id: number }[] }, qty: number) => {
    const adjustments = [{ proforma_order_item_id: proforma.items[0]?.proforma_order_item_id, qty_confirmed: qty }];
    return shop.post(`/proforma_orders/${proforma.id}/warehouse_confirm`, { adjustments });
  };

  it('refuses to raise a line again afterwards', async () => {
    const proforma = await propose(shop, [{ code: 'A', qty: 3 }]);
    await confirm(proforma, 1);
    const { status, body } = await runWhileWaiting(
      LOCK_STOCK,
      () => confirm(proforma, 3),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT_STOCK);
    expect((await stockOf(shop, 'A')).reserved).toBe(1);
  });

  it('releases the unconfirmed pieces', async () => {
    const proforma = await propose(shop, [{ code: 'A', qty: 3 }]);
    const { status } = await runWhileWaiting(
      LOCK_STOCK,
      () => confirm(proforma, 1),
      () => setSellable(false),
    );
    expect(status).toBe(200);
    expect((await stockOf(shop, 'A')).reserved).toBe(1);
  });
});

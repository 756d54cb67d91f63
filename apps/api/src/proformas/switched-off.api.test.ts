import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { evaluate, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
/** Holds the locks that the calls wait for. */
let other: pg.Client;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  other = new pg.Client(api.url);
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await api.close();
});
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', stock: 10 }]);
});

const setSellable = (sellable: boolean): Promise<Reply> =>
  shop.put('/warehouse', { warehouses: [warehouse('W1', { sellable })] });
const STOCK = 'select 1 from stocks where app_id = $1 for update';
// The two steps of PUT /warehouse.
const HOLD = 'select 1 from warehouses where app_id = $1 for update';
const SWITCH_OFF = 'update warehouses set sellable = false where app_id = $1';

/** Runs `action` while the call waits for a lock of `statement`. Returns the reply of the call. */
async function replyAfter(
  statement: string,
  call: () => Promise<Reply>,
  action: () => Promise<unknown>,
): Promise<Reply> {
  await other.query('begin');
  await other.query(statement, [shop.appId]);
  const reply = call();
  await untilOneWaits();
  await action();
  await other.query('commit');
  return reply;
}

async function untilOneWaits(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await api.database.rows(waiting)).length === 0) await setTimeout(10);
}

const create = (evaluation: number, client = shop): Promise<Reply> =>
  client.post('/proforma_orders', { order_processing_id: evaluation });
const INSUFFICIENT = [422, { errors: { message: ['Insufficient stock for product: Product A'] } }];
const nothingReserved = async (): Promise<void> => {
  expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 10, reserved: 0 });
  const written = await api.database.rows('select 1 from proforma_orders where app_id = $1', [shop.appId]);
  expect(written).toEqual([]);
};

describe('switching a warehouse off while a new proforma waits for its stock', () => {
  it('refuses the proforma and keeps the evaluation usable', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const { status, body } = await replyAfter(
      STOCK,
      () => create(evaluation),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT);
    await nothingReserved();
    await setSellable(true);
    expect((await create(evaluation)).status).toBe(201);
  });

  it('reserves in the next warehouse with enough stock', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 5 }]);
    const evaluation = await evaluate(shop, [
      { code: 'A', qty: 2 },
      { code: 'A', qty: 1 },
    ]);
    const { status, body } = await replyAfter(
      STOCK,
      () => create(evaluation),
      () => setSellable(false),
    );
    expect(status).toBe(201);
    expect(body.data.items).toMatchObject([{ warehouse_code: 'W2' }, { warehouse_code: 'W2' }]);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 15, reserved: 3 });
  });

  it('refuses an evaluation that names the warehouse', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 2 }], { warehouse_code: 'W1' });
    const { status, body } = await replyAfter(
      STOCK,
      () => create(evaluation),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT);
    await nothingReserved();
  });

  it('refuses a keyed call and its repeat', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const keyed = shop.keyed('once');
    const first = await replyAfter(
      STOCK,
      () => create(evaluation, keyed),
      () => setSellable(false),
    );
    expect([first.status, first.body]).toEqual(INSUFFICIENT);
    await setSellable(true);
    const second = await create(evaluation, keyed);
    expect([second.text, second.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    await nothingReserved();
  });

  it('accepts the proforma when the warehouse stays sellable', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const { status } = await replyAfter(
      STOCK,
      () => create(evaluation),
      () => setSellable(true),
    );
    expect(status).toBe(201);
  });
});

describe('switching a warehouse off while a new proforma is stored', () => {
  it('makes the proforma wait, then refuses it', async () => {
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 2 }]);
    const { status, body } = await replyAfter(
      HOLD,
      () => create(evaluation),
      () => other.query(SWITCH_OFF, [shop.appId]),
    );
    expect([status, body]).toEqual(INSUFFICIENT);
    await nothingReserved();
  });
});

describe('switching a warehouse off while a confirmation waits for its stock', () => {
  const confirmed = async (proforma: { id: number; items: { proforma_order_item_id: number }[] }, qty: number) => {
    const adjustments = [{ proforma_order_item_id: proforma.items[0]?.proforma_order_item_id, qty_confirmed: qty }];
    return shop.post(`/proforma_orders/${proforma.id}/warehouse_confirm`, { adjustments });
  };

  it('refuses to raise a line again', async () => {
    const proforma = await propose(shop, [{ code: 'A', qty: 3 }]);
    await confirmed(proforma, 1);
    const { status, body } = await replyAfter(
      STOCK,
      () => confirmed(proforma, 3),
      () => setSellable(false),
    );
    expect([status, body]).toEqual(INSUFFICIENT);
    expect((await stockOf(shop, 'A')).reserved).toBe(1);
  });

  it('releases the unconfirmed pieces', async () => {
    const proforma = await propose(shop, [{ code: 'A', qty: 3 }]);
    const { status } = await replyAfter(
      STOCK,
      () => confirmed(proforma, 1),
      () => setSellable(false),
    );
    expect(status).toBe(200);
    expect((await stockOf(shop, 'A')).reserved).toBe(1);
  });
});

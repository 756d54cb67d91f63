import pg from 'pg';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { fillCatalogue, fillProformas } from './fill.query.js';

/** PostgreSQL keeps a generic plan after this many runs of a statement. */
const TRIALS = 5;
const LIFECYCLES = 9;
/** Enough rows that the planner distinguishes one row from many. */
const PROFORMAS = 5_000;
const VARIANTS = 2_000;

interface Planned {
  readonly statement: string;
  readonly generic_plans: number;
  readonly custom_plans: number;
}

let api: TestApi;
let shop: Client;

// With one connection, its plans are those of the service.
beforeAll(async () => {
  api = await testApi({ DATABASE_POOL_SIZE: '1' });
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 100 },
    { code: 'B', price: 33.33, stock: 100 },
  ]);
  const client = new pg.Client({ connectionString: api.url });
  await client.connect();
  await fillProformas(client, shop.appId, PROFORMAS, api.clock.now());
  await fillCatalogue(client, shop.appId, VARIANTS);
  await client.query('analyze');
  await client.end();
}, 120_000);
afterAll(() => api.close());

async function lifecycle(): Promise<void> {
  const { id } = await propose(shop, [
    { code: 'A', qty: 1 },
    { code: 'B', qty: 1 },
  ]);
  const cash = await methodId(shop, 'cash');
  await shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: cash, amount: 0 } });
  await shop.post(`/proforma_orders/${id}/warehouse_confirm`);
  expect((await shop.post(`/proforma_orders/${id}/convert`)).status).toBe(200);
}

describe('the statements of a lifecycle', () => {
  it('are planned a few times, and then no more', async () => {
    for (let walk = 0; walk < LIFECYCLES; walk += 1) await lifecycle();
    const planned = await api.postgres.rows<Planned>(
      'select statement, generic_plans, custom_plans from pg_prepared_statements where generic_plans + custom_plans >= $1',
      [LIFECYCLES],
    );
    expect(planned.length).toBeGreaterThanOrEqual(10);
    expect(planned.filter(({ custom_plans: plans }) => plans > TRIALS).map(({ statement }) => statement)).toEqual([]);
  }, 120_000);
});

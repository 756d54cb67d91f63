import pg from 'pg';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { fillCatalogue, fillProformas } from '../testing/fill.query.js';

/** PostgreSQL plans each of the first five runs of a prepared statement, and may then keep one generic plan. */
const MAX_CUSTOM_PLANS = 5;
const ROUND_COUNT = 9;
/** With this many rows, the planner chooses different plans for one row and for many. */
const PROFORMA_COUNT = 5_000;
const VARIANT_COUNT = 2_000;

interface PlanCounts {
  readonly statement: string;
  readonly generic_plans: number;
  readonly custom_plans: number;
}

let api: TestApi;
let shop: Client;

// Prepared plans belong to a connection, so a pool of one connection runs all statements with the same plans.
beforeAll(async () => {
  api = await testApi({ DATABASE_POOL_SIZE: '1' });
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 100 },
    { code: 'B', price: 33.33, stock: 100 },
  ]);
  const client = new pg.Client({ connectionString: api.url });
  await client.connect();
  await fillProformas(client, shop.appId, PROFORMA_COUNT, api.clock.now());
  await fillCatalogue(client, shop.appId, VARIANT_COUNT);
  await client.query('analyze');
  await client.end();
}, 120_000);
afterAll(() => api.close());

const ITEMS = [
  { code: 'A', qty: 1 },
  { code: 'B', qty: 1 },
];

async function runLifecycle(): Promise<void> {
  const { id } = await propose(shop, ITEMS);
  const cash = await methodId(shop, 'cash');
  await shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: cash, amount: 0 } });
  await shop.post(`/proforma_orders/${id}/warehouse_confirm`);
  expect((await shop.post(`/proforma_orders/${id}/convert`)).status).toBe(200);
}

const LISTS = [
  '/proforma_orders',
  '/proforma_orders?status=paid',
  '/orders',
  '/products',
  '/customers',
  '/stocks',
  '/cdn/files',
];

/** Returns the plans of all statements that ran at least once for each round. */
function plansOf(statements: string): Promise<PlanCounts[]> {
  return api.postgres.rows<PlanCounts>(
    `select statement, generic_plans, custom_plans from pg_prepared_statements
      where generic_plans + custom_plans >= $1 and statement like $2`,
    [ROUND_COUNT, statements],
  );
}

function withCustomPlans(plans: readonly PlanCounts[]): string[] {
  return plans
    .filter(({ custom_plans: customPlans }) => customPlans > MAX_CUSTOM_PLANS)
    .map(({ statement }) => statement);
}

describe('the statements of first pages', () => {
  it('keep a generic plan after a few runs', async () => {
    for (let round = 0; round < ROUND_COUNT; round += 1)
      for (const path of LISTS) expect((await shop.get(path)).status).toBe(200);
    const plans = await plansOf('%row_number() over%');
    expect(plans).toHaveLength(LISTS.length);
    expect(withCustomPlans(plans)).toEqual([]);
  });
});

describe('the statements of a lifecycle', () => {
  it('keep a generic plan after a few runs', async () => {
    for (let round = 0; round < ROUND_COUNT; round += 1) await runLifecycle();
    const plans = await plansOf('%');
    expect(plans.length).toBeGreaterThanOrEqual(10);
    expect(withCustomPlans(plans)).toEqual([]);
  }, 120_000);
});

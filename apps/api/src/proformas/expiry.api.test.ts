import { propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

async function shopWith(proformas: number): Promise<Client> {
  const shop = await api.app();
  await stockShop(shop, [{ code: 'A', stock: 1_000 }]);
  for (let made = 0; made < proformas; made += 1) await propose(shop, [{ code: 'A', qty: 1 }]);
  return shop;
}

/** Reads the list, since it expires nothing. */
async function statusesOf(shop: Client): Promise<string[]> {
  const { data } = (await shop.get('/proforma_orders')).body;
  return data.map((each: { proforma_status_name: string }) => each.proforma_status_name);
}

describe('an app with locked stock', () => {
  it('delays no other app, and expires after the lock ends', async () => {
    const [locked, other] = [await shopWith(2), await shopWith(2)];
    api.clock.forward({ hours: 72 });
    const sweep = api.container.get(TOKENS.ExpirySweep);
    const runner = api.database.source.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('select 1 from stocks where app_id = $1 for update', [locked.appId]);
      await sweep.run();
      expect(await statusesOf(other)).toEqual(['expired', 'expired']);
      expect(await statusesOf(locked)).toEqual(['draft', 'draft']);
      expect((await sweep.run()).failures).toMatchObject([{ appId: locked.appId }]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect(await sweep.run()).toMatchObject({ changed: 2, failures: [] });
    expect(await statusesOf(locked)).toEqual(['expired', 'expired']);
  });
});

import { propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

async function createShop(proformaCount: number): Promise<Client> {
  const shop = await api.app();
  await stockShop(shop, [{ code: 'A', stock: 1_000 }]);
  for (let index = 0; index < proformaCount; index += 1) await propose(shop, [{ code: 'A', qty: 1 }]);
  return shop;
}

async function statusesOf(shop: Client): Promise<string[]> {
  const { data } = (await shop.get('/proforma_orders')).body;
  return data.map((proforma: { proforma_status_name: string }) => proforma.proforma_status_name);
}

describe('an app with locked stock', () => {
  it('delays only the expiry of its own proformas, and only while the lock lasts', async () => {
    const [lockedShop, otherShop] = [await createShop(2), await createShop(2)];
    api.clock.forward({ hours: 72 });
    const sweep = api.container.get(TOKENS.ExpirySweep);
    const runner = api.database.source.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('select 1 from stocks where app_id = $1 for update', [lockedShop.appId]);
      await sweep.run();
      expect(await statusesOf(otherShop)).toEqual(['expired', 'expired']);
      expect(await statusesOf(lockedShop)).toEqual(['draft', 'draft']);
      expect((await sweep.run()).failures).toMatchObject([{ appId: lockedShop.appId }]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect(await sweep.run()).toMatchObject({ changedCount: 2, failures: [] });
    expect(await statusesOf(lockedShop)).toEqual(['expired', 'expired']);
  });
});

import { choresOf } from '../runtime/chores.js';
import { loggerOf } from '../runtime/logger.js';
import { evaluate, stockShop } from '../testing/shop.js';
import { TOKENS } from '../tokens.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  client = await api.app();
  await stockShop(client, [{ code: 'A' }]);
});

const runChore = async () => {
  const chores = choresOf(api.container, loggerOf({ logLevel: 'silent', logFormat: 'json' }));
  const chore = chores.find(({ name }) => name === 'remove unused evaluations');
  while (await chore?.run(new AbortController().signal));
};
const propose = async (id: number) => {
  const { status, body } = await client.post('/proforma_orders', { order_processing_id: id });
  return [status, body.errors];
};
const isStored = async (id: number) =>
  (await api.container.get(TOKENS.Database).evaluationQueries.find(client.appId, id)) !== undefined;

describe('evaluation.retention_days', () => {
  it('removes evaluations without a proforma', async () => {
    await client.patch('/app/settings', { evaluation: { retention_days: 2 } });
    const [unused, used] = [
      await evaluate(client, [{ code: 'A', qty: 1 }]),
      await evaluate(client, [{ code: 'A', qty: 1 }]),
    ];
    expect(await propose(used)).toEqual([201, undefined]);
    api.clock.forward({ hours: 48 });
    await runChore();
    expect([await isStored(unused), await isStored(used)]).toEqual([true, true]);
    api.clock.forward({ hours: 1 });
    await runChore();
    expect([await isStored(unused), await isStored(used)]).toEqual([false, true]);
    expect(await propose(unused)).toEqual(await propose(999_999_999));
  });
});

import { testApi } from '../testing/test-api.js';
import { propose, stockShop } from '../testing/shop.js';

describe('more calls at once than the database can serve in time', () => {
  it('are turned away at once, and those that were let in are served', async () => {
    const api = await testApi({ DATABASE_POOL_SIZE: '2' });
    const shop = await api.app();
    await stockShop(shop, [{ code: 'A', stock: 1_000_000 }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const replies = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const started = performance.now();
        const { status, headers } = await shop.get(`/proforma_orders/${id}`);
        return { status, retryAfter: headers['retry-after'], took: performance.now() - started };
      }),
    );
    const served = replies.filter(({ status }) => status === 200);
    const turnedAway = replies.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1');
    expect(served.length + turnedAway.length).toBe(400);
    // 20 callers may wait for each connection.
    expect(served.length).toBeGreaterThanOrEqual(40);
    expect((await shop.get(`/proforma_orders/${id}`)).status).toBe(200);
    await api.close();
  });
});

import { testApi } from '../testing/test-api.js';
import { propose, stockShop } from '../testing/shop.js';

describe('calls beyond the capacity of the database', () => {
  it('get 503 immediately, while accepted calls are still served', async () => {
    const api = await testApi({ DATABASE_POOL_SIZE: '2' });
    const shop = await api.app();
    await stockShop(shop, [{ code: 'A', stock: 1_000_000 }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const replies = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const startMs = performance.now();
        const { status, headers } = await shop.get(`/proforma_orders/${id}`);
        return { status, retryAfter: headers['retry-after'], elapsedMs: performance.now() - startMs };
      }),
    );
    const servedReplies = replies.filter(({ status }) => status === 200);
    const refusedReplies = replies.filter(({ status, retryAfter }) => status === 503 && retryAfter === '1');
    expect(servedReplies.length + refusedReplies.length).toBe(400);
    // Each of the two connections has a queue of 20 calls, so at least 40 calls are served.
    expect(servedReplies.length).toBeGreaterThanOrEqual(40);
    expect((await shop.get(`/proforma_orders/${id}`)).status).toBe(200);
    await api.close();
  });
});

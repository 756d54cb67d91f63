import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { startPaymentService, type PaymentService } from '../testing/payment-service.js';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const REFUSED_STATUS = 400;

let service: PaymentService;
let api: TestApi;
let shop: Client;

beforeAll(async () => {
  service = await startPaymentService();
  api = await testApi({ REFUND_URL: service.url });
});
afterAll(async () => {
  await api.close();
  service.close();
});
beforeEach(async () => {
  service.status = 200;
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 10 }]);
});

const readFeed = async (after: string) => (await shop.get(`/events?after=${after}`)).body.data;
const readCursor = async (): Promise<string> => (await readFeed('latest')).cursor;
// eslint-disable-next-line typescript/no-explicit-any
const eventsOf = async (work: () => Promise<unknown>): Promise<any[]> => {
  const after = await readCursor();
  await work();
  return (await readFeed(after)).events;
};
const typesOf = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe('GET /events', () => {
  it('reports a refused refund, its alert, and the resolution of the alert', async () => {
    const { id, items } = await propose(shop, [{ code: 'A', qty: 3 }]);
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
    await shop.post(`/proforma_orders/${id}/pay`, { payment });
    service.status = REFUSED_STATUS;
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 2 }];
    const failureEvents = await eventsOf(() => shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments }));
    const { payments } = (await shop.get(`/proforma_orders/${id}`)).body.data;
    expect(typesOf(failureEvents).slice(-2)).toEqual(['refund.failed', 'proforma.alert_raised']);
    expect(failureEvents.slice(-2)).toMatchObject([{ partid: payments[1].id }, { partid: 0 }]);
    service.status = 200;
    const solved = await eventsOf(() => shop.post(`/proforma_orders/${id}/refunds/${payments[1].id}/retry`));
    expect(typesOf(solved)).toEqual(['proforma.alert_resolved', 'refund.succeeded']);
  });

  it('reports an expired proforma only once', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    api.clock.forward({ hours: 24 * 10 });
    const read = () => shop.get(`/proforma_orders/${id}`);
    expect(typesOf(await eventsOf(read))).toEqual(['proforma.expired', 'stock.changed']);
    expect(await eventsOf(read)).toEqual([]);
  });

  it('reports a processed file', async () => {
    const bytes = await sharpSampleImages.still('image/png', 40, 30);
    const { id } = (await shop.upload('/cdn/files', { name: 'a.png', bytes })).body.data;
    const events = await eventsOf(() => api.runJobs());
    expect(events).toMatchObject([{ type: 'file.processed', subject: `files/${id}`, data: { processing: 'done' } }]);
  });
});

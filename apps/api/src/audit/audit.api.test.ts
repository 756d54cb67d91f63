import { importOrder, newCustomer, methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const listEntries = async (query = '') => (await shop.get(`/audit_log${query}`)).body.data;
/** Returns the entries that `work` adds, oldest first. */
const entriesOf = async (work: () => Promise<unknown>) => {
  const before = await listEntries('?limit=10000');
  await work();
  return (await listEntries('?limit=10000')).slice(0, -before.length).reverse();
};

describe('GET /audit_log', () => {
  it('shows the token, the address and the request of a change', async () => {
    const [entry] = await entriesOf(() =>
      shop.patch('/app/settings', { bank_account: { account_number: '160-445-02' } }),
    );
    const { body } = await shop.get('/access_tokens');
    expect(entry).toEqual({
      id: expect.any(Number),
      at: api.clock.now().toISOString().slice(0, 19),
      actor: 'app',
      token_id: body.data[0].id,
      customer_id: null,
      address: expect.stringMatching(/127\.0\.0\.1$/),
      request_id: expect.any(String),
      service_request_id: expect.any(String),
      action: 'settings.change',
      subject_id: null,
      before: { 'bank_account.account_number': '' },
      after: { 'bank_account.account_number': '160-445-02' },
    });
  });

  it('filters entries, and shows no entries of other apps', async () => {
    await shop.patch('/app/settings', { name: 'A' });
    expect((await listEntries('?action=settings.change')).length).toBe(1);
    expect(await listEntries('?action=file.purge')).toEqual([]);
    expect((await listEntries('?token_id=987654321')).length).toBe(0);
    expect((await listEntries('?until=2020-01-01')).length).toBe(0);
    expect((await shop.get('/audit_log?from=never')).status).toBe(400);
    const other = await api.app();
    expect((await other.get('/audit_log')).body.data).toMatchObject([
      { action: 'access_token.create', actor: 'worker' },
    ]);
  });

  it('shows changed order statuses, changed payment statuses and payments of imported orders', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    const payments = [{ payment_method_id: await methodId(shop, 'cash'), amount: 100 }];
    const orders: { id: number; data_part: number; time_part: number; order_number: string }[] = [];
    const [imported] = await entriesOf(async () =>
      orders.push(await importOrder(shop, { external_ref: 'W-1', items: [{ code: 'A', qty: 1 }], payments })),
    );
    const [{ id, data_part, time_part, order_number } = { id: 0, data_part: 0, time_part: 0, order_number: '' }] =
      orders;
    expect(imported).toMatchObject({
      action: 'imported_order.create',
      after: { order_number, payments: [{ method: expect.any(String), amount: 10_000 }] },
    });
    const update = (change: object) =>
      shop.put('/orders/bulk_update', { orders: [{ id, data_part, time_part, ...change }] });
    expect(await entriesOf(() => update({ payment_status_id: 1, invoice_number: 'I-1' }))).toMatchObject([
      {
        action: 'order.change',
        subject_id: id,
        before: { [id]: { payment_status: 'paid' } },
        after: { changed: 1, records: { [id]: { payment_status: 'unpaid' } } },
      },
    ]);
    expect(await entriesOf(() => update({ invoice_number: 'I-2' }))).toEqual([]);
  });

  it('adds no entry when a change of a token changes nothing', async () => {
    const { body } = await shop.get('/access_tokens');
    const patch = () => shop.patch(`/access_tokens/${body.data[0].id}`, { access_token: {} });
    expect(await entriesOf(patch)).toEqual([]);
  });

  it('adds one entry for each set-up call, with counts and changed fields', async () => {
    const promotion = { code: 'TEN', name: 'Ten', kind: 'percentage', value: 10, coupon_code: 'SECRET' };
    const promotions = [promotion, { ...promotion, code: 'TWO', value: 2 }];
    const [created, ...others] = await entriesOf(() => shop.put('/promotions', { promotions }));
    expect(others).toEqual([]);
    expect(created).toMatchObject({ action: 'promotions.put', after: { created: 2, changed: 0 } });
    expect(Object.keys(created.after.records)).toEqual(['TEN', 'TWO']);
    const [changed] = await entriesOf(() =>
      shop.put('/promotions', { promotions: [promotions[0], { ...promotions[1], value: 3 }] }),
    );
    expect(changed).toMatchObject({ after: { created: 0, changed: 1 } });
    expect(Object.keys(changed.after.records)).toEqual(['TWO']);
    expect(await entriesOf(() => shop.put('/promotions', { promotions: [promotions[0]] }))).toEqual([]);
    expect(JSON.stringify(await listEntries())).not.toContain('SECRET');
  });

  it('hides the codes of vouchers', async () => {
    const vouchers = ['GIFT-1', 'GIFT-2'].map((code) => ({ code, amount: 10 }));
    const [entry] = await entriesOf(() => shop.put('/vouchers', { vouchers }));
    expect(entry).toMatchObject({ action: 'vouchers.put', before: null, after: { created: 2, changed: 0 } });
    expect(JSON.stringify(entry)).not.toContain('GIFT');
  });

  it('shows payments and refunds of a proforma', async () => {
    await stockShop(shop, [{ code: 'A', stock: 10 }]);
    const { id, items } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
    const [paid, ...others] = await entriesOf(() => shop.post(`/proforma_orders/${id}/pay`, { payment }));
    expect(others).toEqual([]);
    expect(paid).toMatchObject({ action: 'payment.change', subject_id: id, actor: 'app', before: null });
    expect(paid.after.payments).toMatchObject([{ method: 'Cash', status: 'settled' }]);
    const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 }];
    const refunds = await entriesOf(() => shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments }));
    expect(
      refunds.map(({ action, subject_id: subject }: { action: string; subject_id: number }) => [action, subject]),
    ).toEqual([
      ['proforma.confirm', id],
      ['refund.change', id],
      ['refund.change', id],
    ]);
    expect(refunds[2]).toMatchObject({
      before: { payments: [{ status: 'pending' }] },
      after: { payments: [{ status: 'refunded' }] },
    });
    expect(await entriesOf(() => shop.patch(`/proforma_orders/${id}`, { comment: 'x' }))).toEqual([]);
  });

  it('adds no entry for a refused call or a repeated keyed call', async () => {
    const keyed = shop.keyed('once');
    const entries = await entriesOf(async () => {
      await shop.patch('/app/settings', { name: 'B', default_warehouse_code: 'absent' });
      for (let repeat = 0; repeat < 3; repeat += 1) await keyed.patch('/app/settings', { name: 'B' });
    });
    expect(entries).toHaveLength(1);
  });

  it('shows the id that the caller has chosen beside the id of the service', async () => {
    const headers = {
      Authorization: `Bearer ${shop.token}`,
      'Content-Type': 'application/json',
      'X-Request-Id': 'mine',
    };
    const call = { method: 'PATCH', headers, body: '{"name": "C"}' };
    const [entry] = await entriesOf(() => fetch(`${api.origin}/api/v2/app/settings`, call));
    expect(entry.request_id).toBe('mine');
    expect(entry.service_request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('shows exports of personal data and tests of endpoints', async () => {
    const customer = await newCustomer(shop, 'ana@example.com');
    const { body } = await shop.post('/webhook_endpoints', { webhook_endpoint: { url: 'https://hooks.invalid/' } });
    const entries = await entriesOf(async () => {
      await shop.get(
        `/customers/${customer.customer_id}/export?dataPart=${customer.data_part}&timePart=${customer.time_part}`,
      );
      await shop.get(`/customers/${customer.customer_id}/export?dataPart=99&timePart=1`);
      await shop.post(`/webhook_endpoints/${body.data.id}/test`);
    });
    expect(entries).toMatchObject([
      { action: 'customer.export', subject_id: customer.customer_id },
      { action: 'webhook_endpoint.test', subject_id: body.data.id },
    ]);
  });

  it('adds no entry for new products and customers', async () => {
    expect(
      await entriesOf(async () => {
        await stockShop(shop, [{ code: 'A' }]);
        await newCustomer(shop, 'ana@example.com');
      }),
    ).toMatchObject([{ action: 'warehouses.put' }, { action: 'stock.adjust' }]);
  });
});

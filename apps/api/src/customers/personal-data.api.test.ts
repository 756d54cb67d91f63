import { testApi, type TestApi } from '../testing/test-api.js';
import { propose, stockShop } from '../testing/shop.js';
import { TRACED, TRACED_TEXTS, createTracedCustomer, type TracedCustomer } from '../testing/traced-customer.js';

let api: TestApi;
let traced: TracedCustomer;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  traced = await createTracedCustomer(api);
});

const readExport = async () => (await traced.client.get(traced.path('/export'))).body.data;
const erase = (path = traced.path('/erase')) => traced.client.post(path);

describe('GET /customers/{id}/export', () => {
  it('returns all records of the customer', async () => {
    const data = await readExport();
    expect(data.customer).toMatchObject({ id: traced.id, ...TRACED, external_ref: 'zorica-1' });
    expect(data.cards).toEqual([{ id: expect.any(Number), barcode: 'CARD-1', external_ref: 'card of Zorica' }]);
    expect(data.vouchers).toMatchObject([{ code: 'BIRTHDAY', amount: 20, spent: 0, active: true, valid_from: null }]);
    expect(data.loyalty_bookings).toEqual([
      { order_id: data.orders[0].id, points: 1, inserted_at: expect.any(String), taken_back_at: null },
    ]);
    expect(data.consent_changes).toMatchObject([{ channel: 'email', from_state: 'granted', to_state: 'revoked' }]);
    expect(data.devices).toMatchObject([{ uuid: 'zorica-phone', mobile_info: "Zorica's phone" }]);
    expect(data.sessions).toMatchObject([{ device_uuid: 'zorica-phone', revoked_at: null }]);
    expect(data.visits).toMatchObject([{ latitude: 44.8, longitude: 20.4 }]);
    expect(data.evaluations).toHaveLength(3);
    expect(data.evaluations[0]).toMatchObject({ customer_email: TRACED.email, comment: 'Call Zorica', end_sales: 100 });
    const item = { code: 'A', name: 'Product A', qty: 1, price: 100, sales: 100, discount: 0 };
    expect(data.proforma_orders).toMatchObject([
      { status: 'canceled', cancel_reason: 'Zorica has moved', items: [item], payments: [] },
      {
        status: 'converted',
        delivery: { city: 'Quetzal' },
        paid: 100,
        items: [item],
        payments: [
          { amount: 40, external_ref: null, payer: { name: TRACED.last_name, account: '160-1' } },
          { amount: 60, status: 'settled', reference: 'paid by Zorica' },
        ],
      },
    ]);
    expect(data.orders).toMatchObject([
      { customer_phone: TRACED.phone, comment: 'Call Zorica', end_sales: 100, items: [item] },
      { external_ref: 'import-1', end_sales: 100, paid: 100, items: [item], payments: [{ amount: 100 }] },
    ]);
  });

  it('contains no secrets', async () => {
    const { text } = await traced.client.get(traced.path('/export'));
    expect(text).not.toMatch(/push-of-zorica|token_hash|bo_session/);
  });

  it('does not find customers of other apps or with other parts', async () => {
    const otherClient = await api.app();
    expect((await otherClient.get(traced.path('/export'))).status).toBe(404);
    expect((await traced.client.get(`/customers/${traced.id}/export?dataPart=65&timePart=1`)).status).toBe(404);
    expect((await traced.client.get(`/customers/${traced.id}/export`)).status).toBe(400);
  });
});

describe('POST /customers/{id}/erase', () => {
  it('leaves no personal text in any record that the API shows', async () => {
    const before = await readExport();
    expect(await erase()).toMatchObject({ status: 200, body: { data: { customer_id: traced.id } } });
    const data = await readExport();
    const text = JSON.stringify(data).toLowerCase();
    expect(TRACED_TEXTS.filter((traceText) => text.includes(traceText))).toEqual([]);
    expect(data).toMatchObject({
      customer: { email: `erased-${traced.id}@erased.invalid`, first_name: '', last_name: '', phone: null },
      consent_changes: before.consent_changes,
      cards: [],
      devices: [],
      sessions: [],
      visits: [],
    });
    expect(data.evaluations).toHaveLength(2);
    for (const section of ['proforma_orders', 'orders']) {
      for (const [index, sale] of data[section].entries()) {
        const { number, order_number, end_sales, paid, items, inserted_at } = before[section][index];
        expect(sale).toMatchObject({ end_sales, paid, items, inserted_at });
        expect([sale.number, sale.order_number, sale.comment, sale.delivery]).toEqual([
          number,
          order_number,
          null,
          null,
        ]);
      }
    }
    const lists = ['/customers?search=zorica', '/orders?search=quetzal'];
    for (const list of lists) expect((await traced.client.get(list)).body.data).toEqual([]);
  });

  it('keeps the order of a converted proforma without payments', async () => {
    const { id } = await propose(traced.client, [{ code: 'A', qty: 1 }], traced.identifier);
    await traced.client.post(`/proforma_orders/${id}/convert`);
    const { order_id, converted_order_number } = (await traced.client.get(`/proforma_orders/${id}`)).body.data;
    expect(converted_order_number).toMatch(/^O-/);
    await erase();
    const { data } = (await traced.client.get(`/proforma_orders/${id}`)).body;
    expect(data).toMatchObject({ order_id, converted_order_number, order_data_part: expect.any(Number) });
  });

  it('ends the sessions of the customer', async () => {
    expect((await traced.phone.get('/customer/attendances')).status).toBe(200);
    await erase();
    api.clock.forward({ seconds: 2 });
    expect((await traced.phone.get('/customer/attendances')).status).toBe(401);
  });

  it('erases stored answers, so a repeated keyed call neither replays nor runs again', async () => {
    await erase();
    const { status, body } = await traced.keyedPost();
    expect([status, body]).toEqual([410, { errors: { detail: 'Gone' } }]);
    expect((await traced.client.get('/customers')).body.data).toHaveLength(1);
  });

  it('adds an entry with the id of the customer to the audit log', async () => {
    await erase();
    const { body } = await traced.client.get('/audit_log?action=customer.erase');
    expect(body.data).toMatchObject([{ action: 'customer.erase', subject_id: traced.id, before: null, after: null }]);
  });

  it('frees the e-mail address and the card for other customers', async () => {
    await erase();
    const { status, body } = await traced.client.post('/customers', { customer: TRACED });
    const { id, data_part, time_part } = body.data;
    expect([status, id === traced.id]).toEqual([201, false]);
    const card = { barcode: 'CARD-1', customer_id: id, data_part, time_part };
    expect((await traced.client.post('/int/cards', { card })).body.data).toMatchObject({ customer_id: id });
  });

  it('blanks only free texts written since the first erasure when repeated', async () => {
    const sell = (reference: string) =>
      traced.client.post('/int/orders', {
        order: { external_ref: reference, items: [{ code: 'A', qty: 1 }], ...traced.identifier },
      });
    api.clock.forward({ seconds: 1 });
    await erase();
    expect((await sell(`WEB-${TRACED.last_name}-7`)).status).toBe(201);
    await erase();
    const references = (await readExport()).orders.map((order: { external_ref: string | null }) => order.external_ref);
    expect(references).toEqual([null, 'import-1', null]);
  });

  it('ends the sessions of the customer immediately, so that they cannot write', async () => {
    const visit = () => traced.phone.post('/customer/attendance', { attendance: { latitude: 44.8, longitude: 20.4 } });
    expect((await visit()).status).toBe(201);
    await erase();
    expect((await visit()).status).toBe(401);
  });

  it('can be repeated, also concurrently', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => erase()));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const data = await readExport();
    expect((await erase()).status).toBe(200);
    expect(await readExport()).toEqual(data);
  });

  it('is refused while a proforma is open, and writes nothing', async () => {
    await stockShop(traced.client, [{ code: 'A' }]);
    const { data_part, time_part } = (await traced.client.get(traced.path())).body.data;
    const buyer = { customer_id: traced.id, data_part, time_part, guest: undefined };
    const { id } = await propose(traced.client, [{ code: 'A', qty: 1 }], buyer);
    const before = await readExport();
    const { status, body } = await erase();
    expect([status, body]).toEqual([422, { errors: { Customers: ['API.Customers.HasOpenProformas'] } }]);
    expect(await readExport()).toEqual(before);
    await traced.client.delete(`/proforma_orders/${id}`);
    expect((await erase()).status).toBe(200);
  });
});

import { methodId, newCustomer, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let bankId: number;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 1_000 }]);
  bankId = await methodId(shop, 'bank_transfer');
});

const pay = (id: number, payment: object): Promise<Reply> =>
  shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: bankId, ...payment } });
const proposeOne = async (qty = 1, fields: object = {}): Promise<number> =>
  (await propose(shop, [{ code: 'A', qty }], fields)).id;
const readProforma = async (id: number) => (await shop.get(`/proforma_orders/${id}`)).body.data;
const TAKEN = { errors: { Payments: ['API.Payments.ExternalRefTaken'] } };
const LINE = {
  external_ref: '  statement-217-line-3 ',
  paid_at: '2026-11-20',
  payer: { name: 'Ana Anić', account: '160-123-97' },
};

describe('a payment with an external reference', () => {
  it('shows its source, on the proforma and on the order that it becomes', async () => {
    const id = await proposeOne();
    const { status, body } = await pay(id, LINE);
    const source = { ...LINE, external_ref: 'statement-217-line-3', paid_at: '2026-11-20T00:00:00' };
    expect([status, body.data.payments]).toMatchObject([200, [source]]);
    expect(body.data.payments[0].payment_date).not.toBe(source.paid_at);
    const { id: orderId, data_part, time_part } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const order = await shop.get(`/orders/${orderId}?dataPart=${data_part}&timePart=${time_part}`);
    expect(order.body.data.payments).toMatchObject([source]);
  });

  it('is booked once when it is repeated, also a day later, and after the proforma is final', async () => {
    const id = await proposeOne(2);
    const { body } = await pay(id, { ...LINE, amount: 50 });
    expect(body.data).toMatchObject({ paid: 50, debt: 150 });
    api.clock.forward({ hours: 25 });
    for (const amount of [50, 0, -1, null, undefined]) {
      const repeated = await pay(id, { ...LINE, amount });
      expect([repeated.status, repeated.body.data.payments]).toEqual([200, body.data.payments]);
    }
    await shop.post(`/proforma_orders/${id}/convert`);
    expect((await pay(id, { ...LINE, amount: 50 })).body.data).toMatchObject({
      proforma_status: 'converted',
      paid: 50,
    });
  });

  it('is refused with another amount, and on another proforma', async () => {
    const [id, otherId] = [await proposeOne(2), await proposeOne(2)];
    await pay(id, { ...LINE, amount: 50 });
    for (const [proforma, amount] of [
      [id, 60],
      [otherId, 50],
    ] as const) {
      const { status, body } = await pay(proforma, { ...LINE, amount });
      expect([status, body]).toEqual([422, TAKEN]);
    }
    expect(await readProforma(otherId)).toMatchObject({ paid: 0, payments: [] });
  });

  it('is free in another app', async () => {
    await pay(await proposeOne(), LINE);
    shop = await api.app();
    await stockShop(shop, [{ code: 'A', price: 100, stock: 10 }]);
    bankId = await methodId(shop, 'bank_transfer');
    expect((await pay(await proposeOne(), LINE)).status).toBe(200);
  });

  it('is booked once by concurrent calls on two proformas', async () => {
    const ids = [await proposeOne(5), await proposeOne(5)];
    const calls = Array.from({ length: 12 }, (_, index) => pay(ids[index % 2] ?? 0, { ...LINE, amount: 50 }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(6).fill(422)]);
    const proformas = await Promise.all(ids.map(readProforma));
    expect(proformas.map(({ paid }) => paid as number).sort((a, b) => a - b)).toEqual([0, 50]);
  });

  it('is not taken by the refund of its payment', async () => {
    const id = await proposeOne(2);
    await pay(id, LINE);
    await shop.delete(`/proforma_orders/${id}`);
    expect((await readProforma(id)).payments).toMatchObject([
      { amount: 200, external_ref: 'statement-217-line-3' },
      { amount: -200, external_ref: null, paid_at: null, payer: null },
    ]);
  });

  it('keeps its reference, but not its payer, when the customer is erased', async () => {
    const customer = await newCustomer(shop, 'mira@example.com');
    const { customer_id, data_part, time_part } = customer;
    const id = await proposeOne(1, { ...customer, guest: undefined });
    await pay(id, LINE);
    const order = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const erased = await shop.post(`/customers/${customer_id}/erase?dataPart=${data_part}&timePart=${time_part}`);
    expect(erased.status).toBeLessThan(300);
    const kept = [{ external_ref: 'statement-217-line-3', payer: null }];
    expect((await readProforma(id)).payments).toMatchObject(kept);
    const read = await shop.get(`/orders/${order.id}?dataPart=${order.data_part}&timePart=${order.time_part}`);
    expect(read.body.data.payments).toMatchObject(kept);
  });
});

describe('an invalid source of a payment', () => {
  it.each([
    [{ external_ref: ' ' }, 422, { external_ref: ["can't be blank"] }],
    [{ external_ref: 'x'.repeat(256) }, 422, { external_ref: ['is too long'] }],
    [{ paid_at: 'yesterday' }, 422, { paid_at: ['is invalid'] }],
    [{ paid_at: '2999-01-01' }, 422, { paid_at: ['is invalid'] }],
    [{ payer: { name: 'x'.repeat(256) } }, 422, undefined],
    [{ external_ref: 5 }, 400, undefined],
    [{ payer: 'Ana' }, 400, undefined],
  ])('%j is answered %d and books nothing', async (source, expected, errors) => {
    const id = await proposeOne();
    const { status, body } = await pay(id, source);
    expect(status).toBe(expected);
    if (errors) expect(body).toEqual({ errors });
    expect(await readProforma(id)).toMatchObject({ paid: 0 });
  });

  it('takes null and empty fields as absent', async () => {
    const id = await proposeOne();
    const { body } = await pay(id, { external_ref: null, paid_at: null, payer: { name: null } });
    expect(body.data.payments).toMatchObject([{ external_ref: null, paid_at: null, payer: null }]);
  });
});

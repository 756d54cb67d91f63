import { check } from '@back-office/database-postgres';
import fc from 'fast-check';
import { startPaymentService, type PaymentService } from './testing/payment-service.js';
import { GUEST, evaluate, methodId, newCustomer, setUp, stockShop } from './testing/shop.js';
import { testApi, type Client, type TestApi } from './testing/test-api.js';
import { TOKENS } from './tokens.js';

let service: PaymentService;
let api: TestApi;

beforeAll(async () => {
  service = await startPaymentService();
  api = await testApi({ REFUND_URL: service.url });
  api.clock.startTicking();
});
afterAll(async () => {
  await api.close();
  service.close();
});

interface Sale {
  readonly id: number;
  readonly item: number;
  order?: object;
}

/** One shop whose calls the property chooses. Answers are not checked here: a refused call must also leave no breach. */
class RandomShop {
  private readonly sales: Sale[] = [];
  private proposalCount = 0;

  private constructor(
    private readonly client: Client,
    private readonly bankId: number,
  ) {}

  static async open(): Promise<RandomShop> {
    const client = await api.app();
    await stockShop(client, [{ code: 'A', price: 100, stock: 1_000 }]);
    await client.patch('/app/settings', { loyalty: { points_per_amount: 10 } });
    return new RandomShop(client, await methodId(client, 'bank_transfer'));
  }

  private sale(index: number): Sale {
    return this.sales[index % this.sales.length] ?? { id: 0, item: 0 };
  }

  private path(index: number, action: string): string {
    return `/proforma_orders/${this.sale(index).id}/${action}`;
  }

  async propose(qty: number, hasVoucher: boolean): Promise<void> {
    this.proposalCount += 1;
    const number = this.proposalCount;
    const code = `GIFT-${number}`;
    if (hasVoucher) await setUp(this.client, 'vouchers', [{ code, amount: 70 }]);
    // Each customer buys once, because a later event of a customer would hide a missing one.
    const email = `customer-${number}@example.com`;
    const buyer = qty % 2 === 0 ? { ...(await newCustomer(this.client, email)), guest: undefined } : { guest: GUEST };
    const fields = { ...buyer, ...(hasVoucher && { voucher_codes: [code] }) };
    const evaluation = await evaluate(this.client, [{ code: 'A', qty }], fields);
    const { body } = await this.client.post('/proforma_orders', { order_processing_id: evaluation });
    this.sales.push({ id: body.data.id, item: body.data.items[0].proforma_order_item_id });
  }

  async pay(index: number, amount: number): Promise<void> {
    const payment = { payment_method_id: this.bankId, amount };
    await this.client.post(this.path(index, 'pay'), { payment });
  }

  async payByCard(index: number, status: string): Promise<void> {
    const begun = await this.client.post(this.path(index, 'card_payments'), { payment: {} });
    const paymentId = begun.body.payment?.id ?? 0;
    await this.client.post(this.path(index, `card_payments/${paymentId}/result`), { result: { status } });
  }

  async confirm(index: number, qty: number): Promise<void> {
    const adjustments = [{ proforma_order_item_id: this.sale(index).item, qty_confirmed: qty }];
    await this.client.post(this.path(index, 'warehouse_confirm'), { adjustments });
  }

  async convert(index: number): Promise<void> {
    const { status, body } = await this.client.post(this.path(index, 'convert'));
    if (status !== 200) return;
    const { id, data_part, time_part } = body.data;
    this.sale(index).order = { id, data_part, time_part };
  }

  async changeOrder(index: number, change: object): Promise<void> {
    const { order } = this.sale(index);
    if (order) await this.client.put('/orders/bulk_update', { orders: [{ ...order, ...change }] });
  }

  async cancel(index: number): Promise<void> {
    await this.client.delete(`/proforma_orders/${this.sale(index).id}`);
  }

  async refundNewOrder(): Promise<void> {
    await this.propose(2, false);
    const newest = this.sales.length - 1;
    await this.pay(newest, 0);
    await this.convert(newest);
    await this.changeOrder(newest, { order_status_id: 3, refund: true });
  }

  async finishRefund(index: number, action: string): Promise<void> {
    const { body } = await this.client.get(`/proforma_orders/${this.sale(index).id}`);
    const refund = body.data?.payments.findLast(({ amount }: { amount: number }) => amount < 0);
    if (refund) await this.client.post(this.path(index, `refunds/${refund.id}/${action}`));
  }
}

type Call = (shop: RandomShop) => Promise<void>;

const index = fc.nat(20);
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()).map(
    ([qty, voucher]): Call =>
      (shop) =>
        shop.propose(qty, voucher),
  ),
  fc.tuple(index, fc.constantFrom(0, 0, 40)).map(
    ([sale, amount]): Call =>
      (shop) =>
        shop.pay(sale, amount),
  ),
  fc.tuple(index, fc.constantFrom('settled', 'failed')).map(
    ([sale, status]): Call =>
      (shop) =>
        shop.payByCard(sale, status),
  ),
  fc.tuple(index, fc.nat(3)).map(
    ([sale, qty]): Call =>
      (shop) =>
        shop.confirm(sale, qty),
  ),
  index.map(
    (sale): Call =>
      (shop) =>
        shop.convert(sale),
  ),
  fc
    .tuple(
      index,
      fc.constantFrom<object>(
        { order_status_id: 3, refund: true },
        { order_status_id: 3 },
        { delivery_status_id: 2 },
        { payment_status_id: 3 },
      ),
    )
    .map(
      ([sale, change]): Call =>
        (shop) =>
          shop.changeOrder(sale, change),
    ),
  index.map(
    (sale): Call =>
      (shop) =>
        shop.cancel(sale),
  ),
  fc.tuple(index, fc.constantFrom('record', 'retry')).map(
    ([sale, action]): Call =>
      (shop) =>
        shop.finishRefund(sale, action),
  ),
  fc.constantFrom(200, 200, 422, 503).map((status): Call => async () => {
    service.status = status;
    await api.container.get(TOKENS.Refunds).payOutDue();
  }),
);

describe('a database after random sales with loyalty points, vouchers and refunds', () => {
  it('breaks no rule of the check, although every reading of the clock differs', async () => {
    const twoCalls = fc.array(call, { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(twoCalls, { minLength: 25, maxLength: 25 }), async (pairs) => {
        const shop = await RandomShop.open();
        await shop.propose(2, true);
        for (const pair of pairs) await Promise.all(pair.map((act) => act(shop)));
        await shop.refundNewOrder();
      }),
      { numRuns: 6, endOnFailure: true },
    );
    const findings = await check({ url: api.url }, api.container.get(TOKENS.Library).library.store, api.clock.now());
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
  });
});

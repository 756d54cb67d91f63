import { methodId } from '../shop.js';
import { pathOf } from './customers.js';
import type { Scenario } from './scenario.js';

const BASKET = {
  items: [
    { code: 'TEE-M', qty: 3 },
    { barcode: '8601234500024', qty: 1 },
  ],
  guest: {
    email: 'ana@example.com',
    first_name: 'Ana',
    last_name: 'Kovačević',
    phone: '+381601112223',
    address_line_1: 'Bulevar 1',
    city: 'Novi Sad',
    postcode: '21000',
  },
};
const EVALUATE = 'post /order_processings';

export async function showSales(scenario: Scenario): Promise<void> {
  const { shop, examples } = scenario;
  const evaluation = await examples.show(shop, 'Basket of a guest', EVALUATE, { order_processing: BASKET });
  const { items } = BASKET;
  const delivery = { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000' };
  const customerBasket = { items, customer_external_ref: 'crm-17', delivery };
  await examples.show(shop, 'Basket of a customer with a coupon', EVALUATE, {
    order_processing: { ...customerBasket, shipment_method_code: 'COURIER', coupon_codes: ['AUTUMN10'] },
  });
  await examples.refuse(shop, 'Unknown product', EVALUATE, {
    order_processing: { ...BASKET, items: [{ code: 'TEE-XS', qty: 1 }] },
  });
  await examples.show(shop, 'Evaluation as it was calculated', `get /order_processings/${evaluation.id}`);
  const create = { order_processing_id: evaluation.id };
  const proforma = await examples.show(shop, 'Proforma of an evaluation', 'post /proforma_orders', create);
  await examples.refuse(shop, 'Evaluation that is already used', 'post /proforma_orders', create);
  const tooMany = await evaluate(scenario, { ...BASKET, items: [{ code: 'TEE-L', qty: 500 }] });
  await examples.refuse(shop, 'More pieces than available', 'post /proforma_orders', { order_processing_id: tooMany });
  await showQrCode(scenario, proforma.id);
  await payAndConvert(scenario, proforma);
  await showEdits(scenario, await propose(scenario, customerBasket));
  await showCancel(scenario, proforma.id);
  await showCardPayment(scenario);
  await showRefunds(scenario);
  const [customer] = (await shop.get('/customers?externalRef=crm-17')).body.data;
  await examples.show(shop, 'Latest proformas', 'get /proforma_orders');
  await examples.show(shop, 'Proformas of a customer', `get ${pathOf(customer, '/proforma_orders')}`);
  await examples.show(shop, 'Counts for a dashboard', 'get /proforma_orders/stats');
}

async function evaluate({ shop }: Scenario, basket: object): Promise<number> {
  return (await shop.post('/order_processings', { order_processing: basket })).body.data.id;
}

// eslint-disable-next-line typescript/no-explicit-any
async function propose(scenario: Scenario, basket: object): Promise<any> {
  const reply = await scenario.shop.post('/proforma_orders', { order_processing_id: await evaluate(scenario, basket) });
  if (reply.status !== 201) throw new Error(`No proforma: ${reply.text}`);
  return reply.body.data;
}

async function showQrCode({ shop, api, examples }: Scenario, id: number): Promise<void> {
  const path = `/api/v2/proforma_orders/${id}/payment_qr`;
  const headers = { Authorization: `Bearer ${shop.token}`, Accept: 'image/svg+xml' };
  const svg = await (await fetch(api.origin + path, { headers })).text();
  // Only the start is kept, because the rest depends on the random number of the proforma.
  examples.keepText(
    `get /proforma_orders/${id}/payment_qr`,
    'Start of an SVG',
    'image/svg+xml',
    `${svg.slice(0, 90)}…`,
  );
}

async function payAndConvert(
  { shop, examples }: Scenario,
  { id, items }: { id: number; items: readonly { proforma_order_item_id: number }[] },
): Promise<void> {
  const one = `/proforma_orders/${id}`;
  const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 };
  await examples.refuse(shop, 'More than the debt', `post ${one}/pay`, { payment: { ...payment, amount: 99_000 } });
  await examples.show(shop, 'Bank transfer of the whole debt', `post ${one}/pay`, { payment });
  await examples.refuse(shop, 'Nothing is left to pay', `get ${one}/payment_qr`);
  await examples.show(shop, 'Two of three pieces', `post ${one}/warehouse_confirm`, {
    adjustments: [{ proforma_order_item_id: items[0]?.proforma_order_item_id, qty_confirmed: 2 }],
  });
  await examples.show(shop, 'Paid and confirmed', `get ${one}`);
  await examples.show(shop, 'Order of a confirmed proforma', `post ${one}/convert`);
  await examples.refuse(shop, 'Converted proforma', `post ${one}/warehouse_confirm`);
}

async function showEdits({ shop, examples }: Scenario, { id }: { id: number }): Promise<void> {
  const one = `/proforma_orders/${id}`;
  await examples.show(shop, 'Tags and a comment', `put ${one}`, { tags: ['gift'], comment: 'Wrap it, please' });
  await examples.show(shop, 'A comment', `patch ${one}`, { comment: 'Ring twice' });
  for (const method of ['put', 'patch']) {
    await examples.refuse(shop, 'Alert that does not exist', `${method} ${one}`, {
      alerts: [{ index: 0, resolved: true }],
    });
  }
}

async function showCancel(scenario: Scenario, convertedId: number): Promise<void> {
  const { shop, examples } = scenario;
  const { id } = await propose(scenario, { ...BASKET, items: [{ code: 'TEE-L', qty: 1 }] });
  await examples.show(shop, 'Customer changed their mind', `delete /proforma_orders/${id}`, {
    reason: 'Ordered twice',
  });
  await examples.refuse(shop, 'Canceled proforma', `post /proforma_orders/${id}/convert`);
  await examples.refuse(shop, 'Converted proforma', `delete /proforma_orders/${convertedId}`);
}

async function showCardPayment(scenario: Scenario): Promise<void> {
  const { shop, examples } = scenario;
  const { id } = await propose(scenario, { ...BASKET, items: [{ code: 'TEE-L', qty: 2 }] });
  const path = `/proforma_orders/${id}/card_payments`;
  await examples.refuse(shop, 'More than the debt', `post ${path}`, { payment: { amount: 99_000 } });
  await examples.show(shop, 'Card payment of the whole debt', `post ${path}`, { payment: {} });
  const { body } = await shop.get(`/proforma_orders/${id}`);
  const paymentId: number = body.data.payments[0].id;
  await examples.show(shop, 'The bank has accepted', `post ${path}/${paymentId}/result`, {
    result: { status: 'settled', reference: 'psp-7301' },
  });
}

const REFUSED = 422;
const UNAVAILABLE = 503;

async function showRefunds(scenario: Scenario): Promise<void> {
  const { shop, examples, answerRefundsWith } = scenario;
  answerRefundsWith(REFUSED);
  const recorded = await reducePaidProforma(scenario);
  await examples.show(shop, 'Paid out by hand', `post ${recorded}/record`, { refund: { reference: 'bank-17' } });
  const retried = await reducePaidProforma(scenario);
  answerRefundsWith(200);
  await examples.show(shop, 'Refund after a failure', `post ${retried}/retry`);
  answerRefundsWith(REFUSED);
  const withdrawn = await reducePaidProforma(scenario);
  await shop.post(`${withdrawn.split('/refunds')[0]}/warehouse_confirm`);
  await examples.refuse(shop, 'The debt has come back', `post ${withdrawn}/retry`);
  answerRefundsWith(UNAVAILABLE);
  const pending = await reducePaidProforma(scenario);
  await examples.refuse(shop, 'The payment service may still pay', `post ${pending}/record`);
  answerRefundsWith(200);
}

/** Removes one piece from a paid proforma. Returns the path of the refund. */
async function reducePaidProforma(scenario: Scenario): Promise<string> {
  const { shop } = scenario;
  const { id, items } = await propose(scenario, { ...BASKET, items: [{ code: 'TEE-M', qty: 2 }] });
  const one = `/proforma_orders/${id}`;
  await shop.post(`${one}/pay`, { payment: { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 } });
  const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 }];
  await shop.post(`${one}/warehouse_confirm`, { adjustments });
  const { body } = await shop.get(one);
  const refund = body.data.payments.find(({ amount }: { amount: number }) => amount < 0);
  return `${one}/refunds/${refund.id}`;
}

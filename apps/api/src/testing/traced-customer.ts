import { evaluate, methodId, propose, setUp, startSession, stockShop } from './shop.js';
import type { Client, Reply, TestApi } from './test-api.js';

/** Texts that no other test record contains. */
export const TRACED = {
  email: 'Zorica.Quetzal@example.org',
  first_name: 'Zorica',
  last_name: 'Quetzal',
  phone: '+381649876543',
};
const TRACED_ADDRESS = { address_line_1: 'Zorica Quetzal, Put 7', city: 'Quetzal', postcode: '11070' };
export const TRACED_TEXTS = ['zorica', 'quetzal', '649876543'];

export interface TracedCustomer {
  readonly client: Client;
  readonly phone: Client;
  /** Returns the path of the customer, or of an action on this customer. */
  readonly path: (action?: string) => string;
  readonly id: number;
  readonly identifier: { readonly customer_id: number; readonly data_part: number; readonly time_part: number };
  readonly keyedPost: () => Promise<Reply>;
}

/** Creates a customer with a record of every kind. All of them are closed, so the customer can be erased. */
export async function createTracedCustomer(api: TestApi): Promise<TracedCustomer> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', stock: 1_000 }]);
  await client.post('/int/app_locations', {
    app_locations: [{ code: 'HERE', name: 'Here', latitude: 44.8, longitude: 20.4 }],
  });
  const keyedPost = () =>
    client.keyed('traced').post('/customers', { customer: { ...TRACED, external_ref: 'zorica-1' } });
  const { id, data_part: dataPart, time_part: timePart } = (await keyedPost()).body.data;
  const parts = { data_part: dataPart, time_part: timePart };
  const identifier = { customer_id: id, ...parts };
  await setUp(client, 'vouchers', [{ code: 'BIRTHDAY', amount: 20, customer_id: id }]);
  await client.patch('/app/settings', { loyalty: { points_per_amount: 100 } });
  await client.post('/int/cards', { card: { barcode: 'CARD-1', external_ref: 'card of Zorica', ...identifier } });
  const phone = api.withOrigins(
    { ...client, token: await startSession(client, { ...identifier, device: { uuid: 'zorica-phone' } }) },
    [api.origin],
  );
  await usePhone(phone);
  await sell(client, identifier);
  const path = (action = ''): string => `/customers/${id}${action}?dataPart=${dataPart}&timePart=${timePart}`;
  return { client, phone, path, id, identifier, keyedPost };
}

async function usePhone(phone: Client): Promise<void> {
  await phone.put('/customer/consent', { channel: 'email', state: 'revoked' });
  await phone.keyed('visit').post('/customer/attendance', { attendance: { latitude: 44.8, longitude: 20.4 } });
  const device = { messaging_token: 'push-of-zorica', notification_channel_id: 3, mobile_info: "Zorica's phone" };
  await phone.put('/notification_device', { notification_device: device });
}

/** Creates an unused evaluation, a canceled proforma, a converted proforma with its order, and an imported order. */
async function sell(client: Client, identifier: object): Promise<void> {
  const buyer = { ...identifier, guest: undefined, delivery: TRACED_ADDRESS, comment: 'Call Zorica', tags: ['zorica'] };
  const items = [{ code: 'A', qty: 1 }];
  await evaluate(client, items, buyer);
  const canceled = await propose(client, items, buyer);
  await client.delete(`/proforma_orders/${canceled.id}`, { reason: 'Zorica has moved' });
  const sold = await propose(client, items, buyer);
  const payment = {
    payment_method_id: await methodId(client, 'bank_transfer'),
    amount: 40,
    payer: { name: TRACED.last_name, account: '160-1' },
  };
  await client.post(`/proforma_orders/${sold.id}/pay`, { payment });
  const card = await client.post(`/proforma_orders/${sold.id}/card_payments`, { payment: { amount: 0 } });
  const result = { status: 'settled', reference: 'paid by Zorica' };
  await client.post(`/proforma_orders/${sold.id}/card_payments/${card.body.payment.id}/result`, { result });
  await client.post(`/proforma_orders/${sold.id}/convert`);
  const payments = [{ payment_method_id: await methodId(client, 'cash'), amount: 100 }];
  await client.post('/int/orders', { order: { external_ref: 'import-1', ...identifier, items, payments } });
}

import type { Client } from './test-api.js';

/** A product that has one variant with the same code. */
export interface StockedProduct {
  readonly code: string;
  readonly price?: number;
  readonly vat?: number | null;
  readonly stock?: number;
}

export const GUEST = {
  email: 'ana@example.com',
  first_name: 'Ana',
  last_name: 'Kovačević',
  phone: '+381601112223',
  address_line_1: 'Bulevar 1',
  city: 'Novi Sad',
  postcode: '21000',
};

/** How a payment shows that it has no source. */
export const NO_PAYMENT_SOURCE = { external_ref: null, paid_at: null, payer: null };

export function warehouse(code: string, fields: object = {}): object {
  return { code, name: code, address_line_1: 'Put 1', city: 'Beograd', postcode: '11000', market_id: 1, ...fields };
}

export async function stockShop(
  client: Client,
  products: readonly StockedProduct[],
  warehouseCode = 'W1',
): Promise<void> {
  await client.put('/warehouse', { warehouses: [warehouse(warehouseCode)] });
  await client.post('/int/products', {
    products: products.map(({ code, price = 100, vat = 20 }) => ({
      code,
      name: `Product ${code}`,
      price,
      vat_rate: vat,
      variants: [{ code }],
    })),
  });
  await putStock(
    client,
    products.map(({ code, stock = 10 }) => ({ code, warehouse_code: warehouseCode, qty: stock })),
  );
}

export async function putStock(client: Client, stocks: readonly object[]): Promise<void> {
  await client.put('/int/stocks', { stocks });
}

export async function evaluate(client: Client, items: readonly object[], fields: object = {}): Promise<number> {
  const reply = await client.post('/order_processings', { order_processing: { guest: GUEST, items, ...fields } });
  if (reply.status !== 201) throw new Error(`No evaluation: ${reply.text}`);
  return reply.body.data.id as number;
}

/** Creates a proforma with these items and returns it. */
// eslint-disable-next-line typescript/no-explicit-any
export async function propose(client: Client, items: readonly object[], fields: object = {}): Promise<any> {
  const reply = await client.post('/proforma_orders', { order_processing_id: await evaluate(client, items, fields) });
  if (reply.status !== 201) throw new Error(`No proforma: ${reply.text}`);
  return reply.body.data;
}

export async function methodId(client: Client, code: 'cash' | 'bank_transfer' | 'card'): Promise<number> {
  const { body } = await client.get('/payment_methods');
  return body.data.find((method: { code: string }) => method.code === code).id as number;
}

export async function stockOf(
  client: Client,
  code: string,
): Promise<{ on_hand: number; reserved: number; available: number }> {
  const { body } = await client.get(`/stocks/aggregate?code=${code}`);
  const { on_hand, reserved, available } = body.data[0];
  return { on_hand, reserved, available };
}

type SetUpResource = 'promotions' | 'payment_methods' | 'shipment_methods' | 'vouchers';

/** Creates records and returns them as stored. */
// eslint-disable-next-line typescript/no-explicit-any
export async function setUp(client: Client, name: SetUpResource, rows: readonly object[]): Promise<any[]> {
  const reply = await client.put(`/${name}`, { [name]: rows });
  if (reply.status !== 200) throw new Error(`No ${name}: ${reply.text}`);
  return reply.body.data;
}

export async function newCustomer(
  client: Client,
  email: string,
): Promise<{ customer_id: number; data_part: number; time_part: number }> {
  const customer = { email, first_name: 'Mira', last_name: 'Marić', phone: '+381' };
  const { id, data_part, time_part } = (await client.post('/customers', { customer })).body.data;
  return { customer_id: id, data_part, time_part };
}

// eslint-disable-next-line typescript/no-explicit-any
export async function importOrder(client: Client, order: object): Promise<any> {
  const reply = await client.post('/int/orders', { order });
  if (reply.status !== 201) throw new Error(`No order: ${reply.text}`);
  return reply.body.data;
}

/** Starts a session and returns its token. The session is anonymous if no customer is given. */
export async function startSession(client: Client, session: object = {}): Promise<string> {
  const reply = await client.post('/sessions', { session: { device: { uuid: 'device' }, ...session } });
  if (reply.status !== 201) throw new Error(`No session: ${reply.text}`);
  return reply.body.data.access_token as string;
}

/** Returns a failed row as the answer of a bulk call lists it. */
export function failedRow(index: number, input: unknown, message: string, field: string | null = null): object {
  return { input, error: { message }, index, field };
}

import type { Route } from '../http/route.js';
import type { ExampleValues } from './body-fields.js';
import { evaluate, GUEST, methodId, propose, startSession, stockShop } from './shop.js';
import type { Client, TestApi } from './test-api.js';

interface Named {
  readonly id: number;
  readonly data_part?: number;
  readonly time_part?: number;
  readonly payment_id?: number;
  readonly refund_id?: number;
  readonly items?: readonly { readonly proforma_order_item_id: number }[];
  readonly url?: string;
}

/** An app with a record of every kind that calls name: what is sent to it can be right but for one thing. */
export interface FullShop {
  readonly client: Client;
  readonly cash: number;
  readonly folder: number;
  readonly file: { readonly id: number; readonly key: string; readonly url: string };
  /** A file in Trash. */
  readonly trashed: { readonly id: number };
  /** Of a signed-in customer, for the calls that are not the app's. */
  readonly session: string;
  /** One record of every kind that a path names, by the first segment of the path. */
  readonly records: Record<string, Named>;
  evaluation: number;
  /** Whether a call may have used up the proforma or the evaluation. */
  spent: boolean;
}

export async function openFullShop(api: TestApi): Promise<FullShop> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', stock: 1_000_000 }, { code: 'COUNTED' }]);
  await setUpFullShop(client);
  await client.post('/int/app_locations', { app_locations: [{ code: 'HERE', name: 'Here', ...HERE }] });
  const customer = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kovačević', external_ref: 'ana' };
  const sold = await propose(client, [{ code: 'A', qty: 1 }]);
  const evaluation = await evaluate(client, [{ code: 'A', qty: 1 }]);
  const file = (await client.upload('/cdn/files', { name: 'file.txt', bytes: Buffer.from('words') })).body.data;
  const trashed = (await client.upload('/cdn/files', { name: 'gone.txt', bytes: Buffer.from('words') })).body.data;
  await client.delete(`/cdn?file=${trashed.key}`);
  const cash = await methodId(client, 'cash');
  const records: Record<string, Named> = {
    customers: (await client.post('/customers', { customer })).body.data,
    order_processings: { id: evaluation },
    orders: (await client.post(`/proforma_orders/${sold.id}/convert`)).body.data,
    proforma_orders: await awaiting(client, cash),
    cdn: file,
  };
  const session = await startSession(client, { customer_external_ref: 'ana' });
  const folder = (await client.post('/cdn_folders', { cdn_folder: { name: 'Edited', key: 'edited' } })).body.data.id;
  return {
    client,
    session,
    folder,
    file,
    trashed,
    cash,
    records,
    evaluation,
    spent: false,
  };
}

/** Where a location is, so that a visit can be there. */
const HERE = { latitude: 44.8125, longitude: 20.4612 };

/** What hostile settings may have changed. */
export async function setUpFullShop(client: Client): Promise<void> {
  const account = { beneficiary: 'Shop', account_number: '160-445-02' };
  await client.patch('/app/settings', { currency: 'RSD', bank_account: account });
}

/** A proforma of which a card payment is in progress, a refund was made, and something is owed. */
async function awaiting(client: Client, cash: number): Promise<Named> {
  const { id, items } = await propose(client, [{ code: 'A', qty: 2 }]);
  const path = `/proforma_orders/${id}`;
  const begun = await client.post(`${path}/card_payments`, { payment: { amount: 1 } });
  const payment = { payment_method_id: cash, amount: 150 };
  await client.post(`${path}/pay`, { payment });
  const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 }];
  await client.post(`${path}/warehouse_confirm`, { adjustments });
  const { body } = await client.post(`${path}/warehouse_confirm`);
  const refund = body.data.payments.find(({ amount }: { amount: number }) => amount < 0);
  return { ...body.data, payment_id: begun.body.payment.id, refund_id: refund.id };
}

/** Replaces what calls have used up. */
export async function refresh(shop: FullShop): Promise<void> {
  if (!shop.spent) return;
  shop.records['proforma_orders'] = await awaiting(shop.client, shop.cash);
  shop.evaluation = await evaluate(shop.client, [{ code: 'A', qty: 1 }]);
  shop.spent = false;
}

/** The token of the shop that may make the call. */
export function tokenFor({ caller }: Route, { client, session }: FullShop): string {
  return caller === 'app' ? client.token : session;
}

let emails = 0;
/** What makes the example of a body an acceptable one. A name holds for every field called so. */
export function valuesOf(
  { cash, folder, file, trashed, records, evaluation }: FullShop,
  { path }: Route,
): ExampleValues {
  emails += 1;
  return {
    ...GUEST,
    email: `c${emails}@example.com`,
    name: 'Name',
    code: 'F',
    'items.code': 'A',
    'promotions.kind': 'percentage',
    'payment_methods.kind': 'cash',
    value: 10,
    price: 1,
    vat_rate: 20,
    'result.status': 'settled',
    'order.external_ref': `order ${emails}`,
    'warehouse.code': `W-${emails}`,
    'card.barcode': `card ${emails}`,
    'orders.id': records['orders']?.id,
    data_part: records['orders']?.data_part,
    time_part: records['orders']?.time_part,
    'stocks.code': 'A',
    warehouse_code: 'W1',
    market_id: 1,
    qty: 1,
    comment: 'comment',
    tags: ['tag'],
    reason: 'reason',
    amount: 1,
    payment_method_id: cash,
    order_processing_id: evaluation,
    proforma_order_item_id: records['proforma_orders']?.items?.[0]?.proforma_order_item_id,
    qty_confirmed: 1,
    sku: 'COUNTED',
    'product_attributes.code': 'A',
    'attributes.external_ref': 'material',
    'attributes.value': 'cotton',
    'cdn_folder.key': `folder-${emails}`,
    'cdn_folder.name': `Folder ${emails}`,
    '.id': path === '/cdn/file' ? file.id : folder,
    '.name': `Name ${emails}`,
    '.ids': [path === '/cdn/files/purge' ? trashed.id : file.id],
    '.file': file.key,
    '.files': [{ key: file.key }],
    '.folder': 'moved',
    '.on_conflict': 'rename',
    '.cache_strategy': 'version',
    entity_type: 'page',
    entity_id: 'home',
    'fields.field': 'body',
    'fields.url': file.url,
    ...HERE,
    uuid: 'device-1',
    image_url: 'https://shop.example/picture.png',
  };
}

import type { Route } from '../http/route.js';
import { TOKENS } from '../tokens.js';
import type { ExampleValues } from './body-fields.js';
import { evaluate, GUEST, methodId, propose, startSession, stockShop } from './shop.js';
import type { Client, TestApi } from './test-api.js';

interface ShopRecord {
  readonly id: number;
  readonly data_part?: number;
  readonly time_part?: number;
  readonly payment_id?: number;
  readonly refund_id?: number;
  readonly items?: readonly { readonly proforma_order_item_id: number }[];
  readonly url?: string;
}

/** An app with a record of every kind, so that a call can have exactly one error. */
export interface FullShop {
  readonly client: Client;
  readonly cashMethodId: number;
  readonly folderId: number;
  readonly file: { readonly id: number; readonly key: string; readonly url: string };
  readonly trashedFile: { readonly id: number };
  readonly sessionToken: string;
  /** One record per first path segment. */
  readonly records: Record<string, ShopRecord>;
  evaluationId: number;
  /** Records that earlier calls may have used up. */
  usedRecords: 'nothing' | 'evaluation' | 'proforma and evaluation';
}

export async function openFullShop(api: TestApi): Promise<FullShop> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', stock: 1_000_000 }, { code: 'COUNTED' }]);
  await restoreSettings(client);
  await client.post('/int/app_locations', { app_locations: [{ code: 'HERE', name: 'Here', ...POSITION }] });
  const customer = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kovačević', external_ref: 'ana' };
  const soldProforma = await propose(client, [{ code: 'A', qty: 1 }]);
  const evaluationId = await evaluate(client, [{ code: 'A', qty: 1 }]);
  const file = (await client.upload('/cdn/files', { name: 'file.txt', bytes: Buffer.from('words') })).body.data;
  const trashedFile = (await client.upload('/cdn/files', { name: 'gone.txt', bytes: Buffer.from('words') })).body.data;
  await client.delete(`/cdn?file=${trashedFile.key}`);
  const cashMethodId = await methodId(client, 'cash');
  const records: Record<string, ShopRecord> = {
    customers: (await client.post('/customers', { customer })).body.data,
    order_processings: { id: evaluationId },
    orders: (await client.post(`/proforma_orders/${soldProforma.id}/convert`)).body.data,
    proforma_orders: await createProforma(client, cashMethodId),
    cdn: file,
    sessions: (await client.post('/sessions', { session: { device: { uuid: 'device-2' } } })).body.data,
    webhook_endpoints: (await client.post('/webhook_endpoints', { webhook_endpoint: { url: WEBHOOK_URL } })).body.data,
    access_tokens: await createToken(client),
  };
  await addListedRecords(api, client, records);
  const sessionToken = await startSession(client, { customer_external_ref: 'ana' });
  const folderId = (await client.post('/cdn_folders', { cdn_folder: { name: 'Edited', key: 'edited' } })).body.data.id;
  return {
    client,
    sessionToken,
    folderId,
    file,
    trashedFile,
    cashMethodId,
    records,
    evaluationId,
    usedRecords: 'nothing',
  };
}

/** Takes the first record of the list for every path with an id whose kind of record is missing. */
async function addListedRecords(api: TestApi, client: Client, records: Record<string, ShopRecord>): Promise<void> {
  const routes = api.container.get(TOKENS.Routes);
  for (const { path } of routes.filter((route) => /^\/\w+\/:id$/.test(route.path))) {
    const segment = segmentOf(path);
    const isListed = routes.some((route) => route.method === 'get' && route.path === `/${segment}`);
    if (records[segment] !== undefined || !isListed) continue;
    const { body } = await client.get(`/${segment}`);
    if (body.data[0] !== undefined) records[segment] = body.data[0];
  }
}

function segmentOf(path: string): string {
  return path.split('/')[1] ?? '';
}

export function findRecord({ path }: Pick<Route, 'path'>, { records }: FullShop): ShopRecord | undefined {
  return records[segmentOf(path)];
}

/** Throws and says what to add when the shop has no such record. */
export function recordOf({ path }: Pick<Route, 'path'>, shop: FullShop): ShopRecord {
  const record = findRecord({ path }, shop);
  if (record === undefined) {
    const advice = `add \`${segmentOf(path)}\` to \`records\` in testing/full-shop.ts`;
    throw new Error(`The test shop has no record for ${path}: ${advice}, or stock the shop so that a list shows one`);
  }
  return record;
}

/** A host name that never resolves. */
const WEBHOOK_URL = 'https://shop.invalid/hook';

/** Position of the location; visits are nearby. */
const POSITION = { latitude: 44.8125, longitude: 20.4612 };

/** Restores settings, which hostile calls may have changed. */
export async function restoreSettings(client: Client): Promise<void> {
  const account = { beneficiary: 'Shop', account_number: '160-445-02' };
  await client.patch('/app/settings', { currency: 'RSD', bank_account: account });
}

/** Creates a proforma with a pending card payment, a refund and a debt. */
async function createProforma(client: Client, cashMethodId: number): Promise<ShopRecord> {
  const { id, items } = await propose(client, [{ code: 'A', qty: 2 }]);
  const path = `/proforma_orders/${id}`;
  const cardPayment = await client.post(`${path}/card_payments`, { payment: { amount: 1 } });
  const payment = { payment_method_id: cashMethodId, amount: 150 };
  await client.post(`${path}/pay`, { payment });
  const adjustments = [{ proforma_order_item_id: items[0].proforma_order_item_id, qty_confirmed: 1 }];
  await client.post(`${path}/warehouse_confirm`, { adjustments });
  const { body } = await client.post(`${path}/warehouse_confirm`);
  const refund = body.data.payments.find(({ amount }: { amount: number }) => amount < 0);
  return { ...body.data, payment_id: cardPayment.body.payment.id, refund_id: refund.id };
}

async function createToken(client: Client) {
  return (await client.post('/access_tokens', { access_token: { name: 'Warehouse' } })).body.data;
}

export async function replaceToken(shop: FullShop): Promise<void> {
  shop.records['access_tokens'] = await createToken(shop.client);
}

export async function replaceUsedRecords(shop: FullShop): Promise<void> {
  if (shop.usedRecords === 'nothing') return;
  if (shop.usedRecords !== 'evaluation')
    shop.records['proforma_orders'] = await createProforma(shop.client, shop.cashMethodId);
  shop.evaluationId = await evaluate(shop.client, [{ code: 'A', qty: 1 }]);
  shop.usedRecords = 'nothing';
}

export function tokenFor({ caller }: Route, { client, sessionToken }: FullShop): string {
  return caller === 'app' ? client.token : sessionToken;
}

let callCount = 0;
/** Returns valid values of body fields, by field name. */
export function valuesOf(
  { cashMethodId, folderId, file, trashedFile, records, evaluationId }: FullShop,
  { path }: Route,
): ExampleValues {
  callCount += 1;
  return {
    ...GUEST,
    email: `c${callCount}@example.com`,
    name: 'Name',
    code: 'F',
    'items.code': 'A',
    'promotions.kind': 'percentage',
    'payment_methods.kind': 'cash',
    value: 10,
    price: 1,
    vat_rate: 20,
    'result.status': 'settled',
    'order.external_ref': `order ${callCount}`,
    'warehouse.code': `W-${callCount}`,
    'card.barcode': `card ${callCount}`,
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
    payment_method_id: cashMethodId,
    order_processing_id: evaluationId,
    proforma_order_item_id: records['proforma_orders']?.items?.[0]?.proforma_order_item_id,
    qty_confirmed: 1,
    sku: 'COUNTED',
    url: WEBHOOK_URL,
    'webhook_endpoint.types': ['order.created'],
    'webhook_endpoint.subject': 'orders/5',
    'webhook_endpoint.status': 'active',
    'replay.failed': true,
    'product_attributes.code': 'A',
    'attributes.external_ref': 'material',
    'attributes.value': 'cotton',
    'upload_token.folder': 'moved',
    'cdn_folder.key': `folder-${callCount}`,
    'cdn_folder.name': `Folder ${callCount}`,
    '.id': path === '/cdn/file' ? file.id : folderId,
    '.name': `Name ${callCount}`,
    '.ids': [path === '/cdn/files/purge' ? trashedFile.id : file.id],
    '.file': file.key,
    '.files': [{ key: file.key }],
    '.folder': 'moved',
    '.on_conflict': 'rename',
    '.cache_strategy': 'version',
    entity_type: 'page',
    entity_id: 'home',
    'fields.field': 'body',
    'fields.url': file.url,
    ...POSITION,
    uuid: 'device-1',
    scopes: ['catalogue:read'],
    image_url: 'https://shop.example/picture.png',
  };
}

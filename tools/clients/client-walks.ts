/** The calls of the README, an upload, a list and an error, written for each generated client. */
export const WALKS: Readonly<Record<string, string>> = {
  'openapi-fetch': `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
import { PICTURE, WAREHOUSES, PRODUCTS, STOCKS, BASKET, print } from './walk-data';

const client = createClient<paths>({
  baseUrl: process.env['ORIGIN'] ?? '',
  headers: { Authorization: \`Bearer \${process.env['TOKEN']}\` },
});
function check<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
check(await client.PUT('/api/v2/warehouse', { body: { warehouses: WAREHOUSES } }));
check(await client.POST('/api/v2/int/products', { body: { products: PRODUCTS } }));
check(await client.PUT('/api/v2/int/stocks', { body: { stocks: STOCKS } }));
const evaluation = check(await client.POST('/api/v2/order_processings', { body: { order_processing: BASKET } }));
const order_processing_id = evaluation.data.id;
const created = check(await client.POST('/api/v2/proforma_orders', { body: { order_processing_id } }));
const methods = check(await client.GET('/api/v2/payment_methods'));
const bank = methods.data.find(({ code }) => code === 'bank_transfer');
const params = { path: { id: created.data.id } };
const payment = { payment_method_id: bank?.id ?? 0, amount: 0 };
check(await client.POST('/api/v2/proforma_orders/{id}/pay', { params, body: { payment } }));
const line = check(await client.GET('/api/v2/proforma_orders/{id}', { params })).data.items[0];
const adjustments = [{ proforma_order_item_id: line?.proforma_order_item_id ?? 0, qty_confirmed: 2 }];
check(await client.POST('/api/v2/proforma_orders/{id}/warehouse_confirm', { params, body: { adjustments } }));
const order = check(await client.POST('/api/v2/proforma_orders/{id}/convert', { params }));
const form = new FormData();
form.append('file', PICTURE);
form.append('tags', 'a');
form.append('tags', 'b,c');
const file = check(await client.POST('/api/v2/cdn/files', { body: form as never }));
const list = check(await client.GET('/api/v2/proforma_orders', { params: { query: { limit: 1, status: 'converted' } } }));
const refusal = await client.POST('/api/v2/proforma_orders', { body: { order_processing_id } });
const errors = refusal.error && 'errors' in refusal.error ? refusal.error.errors : {};
print({ order: order.data, file: file.data, rows: list.data.length, status: refusal.response.status, errors });
`,
  'hey-api': `
import * as api from './hey-api';
import { client } from './hey-api/client.gen';
import { PICTURE, WAREHOUSES, PRODUCTS, STOCKS, BASKET, print } from './walk-data';

client.setConfig({ baseUrl: process.env['ORIGIN'] ?? '', auth: () => process.env['TOKEN'] ?? '' });
const throwOnError = true;
await api.putWarehouse({ throwOnError, body: { warehouses: WAREHOUSES } });
await api.postIntProducts({ throwOnError, body: { products: PRODUCTS } });
await api.putIntStocks({ throwOnError, body: { stocks: STOCKS } });
const evaluation = await api.postOrderProcessings({ throwOnError, body: { order_processing: BASKET } });
const order_processing_id = evaluation.data.data.id;
const created = await api.postProformaOrders({ throwOnError, body: { order_processing_id } });
const methods = await api.getPaymentMethods({ throwOnError });
const bank = methods.data.data.find(({ code }) => code === 'bank_transfer');
const path = { id: created.data.data.id };
const payment = { payment_method_id: bank?.id ?? 0, amount: 0 };
await api.postProformaOrdersByIdPay({ throwOnError, path, body: { payment } });
const line = (await api.getProformaOrdersById({ throwOnError, path })).data.data.items[0];
const adjustments = [{ proforma_order_item_id: line?.proforma_order_item_id ?? 0, qty_confirmed: 2 }];
await api.postProformaOrdersByIdWarehouseConfirm({ throwOnError, path, body: { adjustments } });
const order = await api.postProformaOrdersByIdConvert({ throwOnError, path });
const file = await api.postCdnFiles({ throwOnError, body: { file: PICTURE, tags: ['a', 'b,c'] } });
const list = await api.getProformaOrders({ throwOnError, query: { limit: 1, status: 'converted' } });
const refusal = await api.postProformaOrders({ body: { order_processing_id } });
const errors = refusal.error && 'errors' in refusal.error ? refusal.error.errors : {};
const status = refusal.response?.status ?? 0;
print({ order: order.data.data, file: file.data.data, rows: list.data.data.length, status, errors });
`,
  orval: `
import * as api from './orval';
import { PICTURE, WAREHOUSES, PRODUCTS, STOCKS, BASKET, print } from './walk-data';

const options = { headers: { Authorization: \`Bearer \${process.env['TOKEN']}\` } };
type Good<Answer> = Extract<Answer, { status: 200 | 201 }>;
function check<Answer extends { status: number; data: unknown }>(answer: Answer): Good<Answer>['data'] {
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.data));
  return answer.data as Good<Answer>['data'];
}
check(await api.putWarehouse({ warehouses: WAREHOUSES }, {}, options));
check(await api.postIntProducts({ products: PRODUCTS }, {}, options));
check(await api.putIntStocks({ stocks: STOCKS }, {}, options));
const evaluation = check(await api.postOrderProcessings({ order_processing: BASKET }, options));
const order_processing_id = evaluation.data.id;
const { id } = check(await api.postProformaOrders({ order_processing_id }, options)).data;
const methods = check(await api.getPaymentMethods({}, options));
const bank = methods.data.find(({ code }) => code === 'bank_transfer');
check(await api.postProformaOrdersByIdPay(id, { payment: { payment_method_id: bank?.id ?? 0, amount: 0 } }, options));
const line = check(await api.getProformaOrdersById(id, {}, options)).data.items[0];
const adjustments = [{ proforma_order_item_id: line?.proforma_order_item_id ?? 0, qty_confirmed: 2 }];
check(await api.postProformaOrdersByIdWarehouseConfirm(id, { adjustments }, options));
const order = check(await api.postProformaOrdersByIdConvert(id, options));
const file = check(await api.postCdnFiles({ file: PICTURE, tags: ['a', 'b,c'] }, options));
const list = check(await api.getProformaOrders({ limit: 1, status: 'converted' }, options));
const refusal = await api.postProformaOrders({ order_processing_id }, options);
const errors = 'errors' in refusal.data ? refusal.data.errors : {};
print({ order: order.data, file: file.data, rows: list.data.length, status: refusal.status, errors });
`,
  client: `
import { ApiError, createClient } from '@back-office/client';
import { PICTURE, WAREHOUSES, PRODUCTS, STOCKS, BASKET, print } from './walk-data';

const client = createClient({ baseUrl: process.env['ORIGIN'] + '/api/v2', token: async () => process.env['TOKEN'] ?? '' });
await client.put('/warehouse', { body: { warehouses: WAREHOUSES } });
await client.post('/int/products', { body: { products: PRODUCTS } });
await client.put('/int/stocks', { body: { stocks: STOCKS } });
const evaluation = await client.post('/order_processings', { body: { order_processing: BASKET } });
const order_processing_id = evaluation.data.id;
const { data: created } = await client.post('/proforma_orders', { body: { order_processing_id } });
let bank = 0;
for await (const { id, code } of client.all('/payment_methods', { query: { limit: 1 } })) if (code === 'bank_transfer') bank = id;
const path = { id: created.id };
await client.post('/proforma_orders/{id}/pay', { path, body: { payment: { payment_method_id: bank, amount: 0 } } });
const { data: proforma } = await client.get('/proforma_orders/{id}', { path });
const adjustments = [{ proforma_order_item_id: proforma.items[0]?.proforma_order_item_id ?? 0, qty_confirmed: 2 }];
await client.post('/proforma_orders/{id}/warehouse_confirm', { path, body: { adjustments } });
const { data: order } = await client.post('/proforma_orders/{id}/convert', { path });
const { data: file } = await client.upload('/cdn/files', { body: { file: PICTURE, tags: ['a', 'b,c'] }, onProgress: () => {} });
let rows = 0;
for await (const { id } of client.all('/proforma_orders', { query: { status: 'converted' } })) rows += id > 0 ? 1 : 0;
const refusal = await client.post('/proforma_orders', { body: { order_processing_id } }).catch((error: unknown) => error);
if (!(refusal instanceof ApiError)) throw refusal;
const [, area = ''] = refusal.key?.split('.') ?? [];
const errors = { [area]: [refusal.key ?? ''] };
print({ order, file, rows, status: refusal.status, errors });
`,
};

export const WALK_BODIES = {
  warehouses: [
    {
      code: 'MAIN',
      name: 'Main warehouse',
      address_line_1: 'Knez Mihailova 1',
      city: 'Beograd',
      postcode: '11000',
      market_id: 1,
    },
  ],
  products: [
    {
      code: 'TEE',
      name: 'T-shirt',
      price: 1490,
      vat_rate: 20,
      variants: [
        { code: 'TEE-M', barcode: '8601234500017' },
        { code: 'TEE-L', barcode: '8601234500024' },
      ],
    },
  ],
  stocks: [
    { code: 'TEE-M', warehouse_code: 'MAIN', qty: 10 },
    { barcode: '8601234500024', warehouse_code: 'MAIN', qty: 10 },
  ],
  basket: {
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
  },
};

/** Data that the code for every client imports. */
export const WALK_DATA = `
export const WAREHOUSES = ${JSON.stringify(WALK_BODIES.warehouses)};
export const PRODUCTS = ${JSON.stringify(WALK_BODIES.products)};
export const STOCKS = ${JSON.stringify(WALK_BODIES.stocks)};
export const BASKET = ${JSON.stringify(WALK_BODIES.basket)};
export const PICTURE = new File(['hello'], 'hello.txt', { type: 'text/plain' });
export interface Walked {
  order: { end_sales: number; paid: number; items: readonly { code: string | null; qty: number }[] };
  file: { filename: string; tags: readonly string[]; size: number };
  rows: number;
  status: number;
  errors: unknown;
}
export const print = (walked: Walked): void => console.log(JSON.stringify(walked));
`;

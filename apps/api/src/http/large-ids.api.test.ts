import { GUEST, propose, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const ABSENT_ID = 999_999_999;
const INVALID_IDS = [2 ** 53, 1e19, 1e300];

let api: TestApi;
let shop: Client;
let proformaId: number;
beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  await stockShop(shop, [{ code: 'A' }]);
  proformaId = (await propose(shop, [{ code: 'A', qty: 1 }])).id as number;
});
afterAll(() => api.close());

interface Answer {
  readonly status: number;
  readonly body: unknown;
}
type Call = (id: number) => Promise<Answer>;
const items = [{ code: 'A', qty: 1 }];
const postOrder = (fields: object): Promise<Answer> =>
  shop.post('/int/orders', { order: { external_ref: 'R', items: [{ code: 'A', qty: 1 }], ...fields } });
const evaluate = (fields: object): Promise<Answer> =>
  shop.post('/order_processings', { order_processing: { items, guest: GUEST, ...fields } });
const product = { code: 'NEW', name: 'New' };
const parts = { data_part: 1, time_part: 1 };
const FILE_NOT_FOUND = 'API.CdnFiles.FileNotFound';
const CUSTOMER_NOT_FOUND = 'API.Customers.NotFound';

const CALLS: readonly (readonly [string, Call, number, string])[] = [
  [
    'order_processing_id',
    (id) => shop.post('/proforma_orders', { order_processing_id: id }),
    422,
    'API.OrderProcessings.StaleEvaluation',
  ],
  [
    'payment_method_id of a payment',
    (id) => shop.post(`/proforma_orders/${proformaId}/pay`, { payment: { payment_method_id: id, amount: 1 } }),
    422,
    'API.PaymentMethod.NotSupported',
  ],
  [
    'proforma_order_item_id',
    (id) =>
      shop.post(`/proforma_orders/${proformaId}/warehouse_confirm`, {
        adjustments: [{ proforma_order_item_id: id, qty_confirmed: 0 }],
      }),
    422,
    '',
  ],
  [
    'index of an alert',
    (index) => shop.patch(`/proforma_orders/${proformaId}`, { alerts: [{ index, resolved: true }] }),
    422,
    'API.ProformaOrders.AlertNotFound',
  ],
  ['product_variant_id', (id) => evaluate({ items: [{ product_variant_id: id, qty: 1 }] }), 422, ''],
  ['customer_id of an evaluation', (id) => evaluate({ customer_id: id, ...parts }), 422, CUSTOMER_NOT_FOUND],
  ['data_part', (id) => evaluate({ customer_id: 1, ...parts, data_part: id }), 422, CUSTOMER_NOT_FOUND],
  ['time_part', (id) => evaluate({ customer_id: 1, ...parts, time_part: id }), 422, CUSTOMER_NOT_FOUND],
  ['customer_id of an order', (id) => postOrder({ customer_id: id, ...parts }), 422, CUSTOMER_NOT_FOUND],
  [
    'payment_method_id of an order',
    (id) => postOrder({ payments: [{ payment_method_id: id, amount: 1 }] }),
    422,
    'API.PaymentMethod.NotSupported',
  ],
  [
    'customer_id of a card',
    (id) => shop.post('/int/cards', { card: { barcode: 'B', customer_id: id, ...parts } }),
    422,
    CUSTOMER_NOT_FOUND,
  ],
  [
    'customer_id of a session',
    (id) => shop.post('/sessions', { session: { customer_id: id, ...parts, device: { uuid: 'u' } } }),
    422,
    CUSTOMER_NOT_FOUND,
  ],
  [
    'customer_id of a voucher',
    (id) => shop.put('/vouchers', { vouchers: [{ code: 'V', amount: 1, customer_id: id }] }),
    422,
    CUSTOMER_NOT_FOUND,
  ],
  [
    'id of an order',
    (id) => shop.put('/orders/bulk_update', { orders: [{ id, ...parts, order_status_id: 1 }] }),
    200,
    'API.Orders.NotFound',
  ],
  [
    'data_part of an order',
    (id) => shop.put('/orders/bulk_update', { orders: [{ id: 1, ...parts, data_part: id, order_status_id: 1 }] }),
    200,
    'API.Orders.NotFound',
  ],
  [
    'id of a product',
    (id) => shop.post('/int/products?dry_run=true&explain=true', { products: [{ id, ...product }] }),
    200,
    '"created":true',
  ],
  [
    'id of a warehouse',
    (id) => shop.put('/warehouse', { warehouses: [{ ...warehouse('W1'), id }] }),
    422,
    'API.Warehouses.CodeAndIdMismatch',
  ],
  [
    'id of a warehouse to delete',
    (id) => shop.put('/warehouse', { warehouses: [{ id, delete: true }] }),
    422,
    'API.Warehouses.NotFound',
  ],
  [
    'product_attribute_def_id',
    async (id) => {
      const put = (fields: object) =>
        shop.put('/int/product_attributes', {
          product_attributes: [{ code: 'A', attributes: [{ external_ref: 'E', value: 'v', ...fields }] }],
        });
      await put({});
      return put({ product_attribute_def_id: id });
    },
    422,
    'API.ProductAttributeDefs.NotFound',
  ],
  ['id of a file', (id) => shop.patch('/cdn/file', { id, alt: 'a' }), 404, FILE_NOT_FOUND],
  ['id of a folder', (id) => shop.patch('/cdn/folder', { id, name: 'a' }), 404, 'API.CdnFolders.FolderNotFound'],
  ['ids to move', (id) => shop.patch('/cdn/files/move', { ids: [id], folder: 'f' }), 200, FILE_NOT_FOUND],
  ['ids to restore', (id) => shop.post('/cdn/files/restore', { ids: [id] }), 200, FILE_NOT_FOUND],
  ['ids to purge', (id) => shop.delete('/cdn/files/purge', { ids: [id] }), 200, FILE_NOT_FOUND],
  ['ids to purge in a query', (id) => shop.delete(`/cdn/files/purge?ids=${BigInt(id)}`), 200, FILE_NOT_FOUND],
];

describe('an id that no record can have', () => {
  it.each(CALLS)('is answered like a missing record: %s', async (_, call, status, key) => {
    const absentAnswer = await call(ABSENT_ID);
    expect([absentAnswer.status, JSON.stringify(absentAnswer.body)]).toEqual([status, expect.stringContaining(key)]);
    const stripIds = (answer: Answer) => ({
      status: answer.status,
      body: JSON.stringify(answer.body).replaceAll(/("(?:id|data_part)":)[-+.\de]+/g, '$1…'),
    });
    for (const id of INVALID_IDS) expect(stripIds(await call(id))).toEqual(stripIds(absentAnswer));
    expect(stripIds(await call(-1e300))).toEqual(stripIds(await call(-ABSENT_ID)));
  });
});

describe('an id in a path that is no integer', () => {
  it('is answered as a missing record by every call without a body', async () => {
    const reference = (await (await fetch(`${api.origin}/openapi.json`)).json()) as { paths: Record<string, object> };
    const calls = Object.entries(reference.paths).flatMap(([path, methods]) =>
      /\{\w+\}/.test(path) ? Object.keys(methods).map((method) => [method, path] as const) : [],
    );
    const answers: string[] = [];
    for (const [method, path] of calls) {
      if (method !== 'get' && method !== 'delete') continue;
      const { status } = await shop[method](path.replace('/api/v2', '').replaceAll(/\{\w+\}/g, 'abc'));
      answers.push(`${method} ${path} ${status}`);
    }
    expect(answers.length).toBeGreaterThan(15);
    expect(answers.filter((answer) => !answer.endsWith(' 404'))).toEqual(['get /api/v2/cdn/files/{id}/usages 200']);
  });
});

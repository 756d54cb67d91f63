import { MediaShop } from './media-shop.js';
import { evaluate, importOrder, methodId, newCustomer, propose, setUp, stockShop } from './shop.js';
import type { Client, TestApi } from './test-api.js';

/** Creates proformas, orders, payments, refunds, stock movements and files in many states. */
export async function fillApp(api: TestApi, client: Client): Promise<void> {
  await client.patch('/app/settings', { loyalty: { points_per_amount: 100 } });
  await stockShop(client, [
    { code: 'A', stock: 1_000 },
    { code: 'B', stock: 1_000 },
  ]);
  await client.put('/int/stocks', { stocks: [{ code: 'A', warehouse_code: 'W1', qty: -3 }] });
  await client.post('/stock/reconcile', { warehouse_code: 'W1', products: [{ code: 'A', qty: 900 }] });
  await setUp(client, 'vouchers', [
    { code: 'SPENT', amount: 50 },
    { code: 'HELD', amount: 50 },
  ]);
  const bankTransferId = await methodId(client, 'bank_transfer');
  const pay = (id: number, amount = 0) =>
    client.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: bankTransferId, amount } });
  const confirm = (id: number, adjustments?: object[]) =>
    client.post(`/proforma_orders/${id}/warehouse_confirm`, adjustments ? { adjustments } : {});
  const convert = (id: number) => client.post(`/proforma_orders/${id}/convert`, {});

  const customer = await newCustomer(client, 'mira@example.com');
  const soldProforma = await propose(client, [{ code: 'A', qty: 3 }], { ...customer, voucher_codes: ['SPENT'] });
  await pay(soldProforma.id);
  await confirm(soldProforma.id);
  const order = (await convert(soldProforma.id)).body.data;
  const parts = { id: order.id, data_part: order.data_part, time_part: order.time_part };
  await client.put('/orders/bulk_update', { orders: [{ ...parts, delivery_status_id: 2 }] });

  const convertedProforma = await propose(client, [{ code: 'A', qty: 4 }]);
  await pay(convertedProforma.id);
  await confirm(convertedProforma.id);
  await convert(convertedProforma.id);

  const partialProforma = await propose(client, [{ code: 'A', qty: 5 }]);
  await pay(partialProforma.id);
  await confirm(partialProforma.id, [
    { proforma_order_item_id: partialProforma.items[0].proforma_order_item_id, qty_confirmed: 2 },
  ]);

  const canceledProforma = await propose(client, [{ code: 'A', qty: 6 }]);
  await pay(canceledProforma.id, 100);
  await client.delete(`/proforma_orders/${canceledProforma.id}`);
  await propose(client, [{ code: 'A', qty: 1 }], { voucher_codes: ['HELD'] });
  await propose(client, [
    { code: 'A', qty: 7 },
    { code: 'B', qty: 7 },
  ]);
  await evaluate(client, [{ code: 'A', qty: 1 }]);
  await importOrder(client, {
    external_ref: 'X',
    order_number: 'N-1',
    order_date: '2026-11-20T10:00:00',
    items: [{ code: 'A', qty: 1, price: 10 }],
    payments: [{ payment_method_id: bankTransferId, amount: 10 }],
  });

  const shop = new MediaShop(api, client);
  const image = await shop.jpeg('a.jpg', { folder: 'x/y' }, 400, 300);
  await api.runJobs();
  await shop.replace(image.id, 'words');
  await shop.trash(await shop.text('gone.txt'));
  await api.runJobs();
}

import type { Scenario } from './scenario.js';

export async function showOrders({ shop, examples }: Scenario): Promise<void> {
  const order = {
    external_ref: 'till-2026-118',
    order_date: '2026-11-20T16:30:00',
    app_location_code: 'NS-01',
    items: [{ code: 'TEE-L', qty: 1, price: 1_490 }],
    customer_external_ref: 'crm-17',
  };
  await examples.show(shop, 'Sale of a till', 'post /int/orders', { order });
  await examples.refuse(shop, 'Order that is already imported', 'post /int/orders', { order });
  await examples.show(shop, 'Latest orders', 'get /orders');
  const orders: readonly Record<string, number>[] = (await shop.get('/orders')).body.data;
  const { id, data_part: dataPart, time_part: timePart } = orders.at(0) ?? {};
  await examples.show(shop, 'Order in full', `get /orders/${id}?dataPart=${dataPart}&timePart=${timePart}`);
  await examples.show(shop, 'Set an invoice number and tracking', 'put /orders/bulk_update', {
    orders: [
      {
        id,
        data_part: dataPart,
        time_part: timePart,
        invoice_number: 'F-2026-118',
        tracking: [{ carrier: 'Courier', number: 'RS1', url: 'https://courier.example/RS1', parcels: 1 }],
      },
      { id: 99, data_part: dataPart, time_part: timePart, invoice_number: 'F-2026-119' },
    ],
  });
}

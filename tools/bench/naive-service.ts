import { dataSourceFor } from '@back-office/database-postgres';
import express, { type Request, type Response } from 'express';
import type { AddressInfo } from 'node:net';
import { In, type EntityManager } from 'typeorm';

/** Values of a row of any table. Bigints arrive as numbers. */
type Row = Record<string, unknown> & { id?: number };
type Work = (manager: EntityManager, app_id: number, ...values: never[]) => Promise<unknown>;

const now = (): Date => new Date();
const day = (): Date => new Date(Date.now() + 86_400_000);

async function evaluate(manager: EntityManager, app_id: number, codes: string[]): Promise<unknown> {
  const variants = await manager.find<Row>('product_variants', { where: { app_id, code: In(codes) } });
  const ids = variants.map(({ product_id }) => product_id);
  const products = await manager.find<Row>('products', { where: { app_id, id: In(ids) } });
  const items = variants.map((variant) => {
    const product = products.find(({ id }) => id === variant['product_id']);
    const { code, id: variantId } = variant;
    return { variantId, productId: product?.id, code, name: product?.['name'], qty: 1, price: product?.['price'] };
  });
  const sales = items.reduce((sum, { price }) => sum + Number(price), 0);
  const buyer = { email: 'ana@example.com' };
  const totals = { sales, discount: 0, net_sales: sales, vat: 0, end_sales: sales, currency: 'RSD', market_id: 1 };
  const channel = { sales_channel_id: 1, sales_channel: 'web', expires_at: day(), inserted_at: now() };
  return manager.save('order_processings', { app_id, buyer, items, fees: [], ...totals, ...channel });
}

async function create(manager: EntityManager, app_id: number, id: number, number: string): Promise<unknown> {
  const evaluation = await manager.findOneByOrFail<Row>('order_processings', { app_id, id });
  await manager.save('order_processings', { ...evaluation, consumed_at: now() });
  const { sales, discount, net_sales, vat, end_sales, currency, market_id } = evaluation;
  const { sales_channel_id, sales_channel } = evaluation;
  const totals = { sales, discount, net_sales, vat, end_sales, original_end_sales: end_sales, debt: end_sales };
  const times = { processing_date: now(), expires_at: day(), due_at: day(), inserted_at: now(), updated_at: now() };
  const terms = { currency, market_id, sales_channel_id, sales_channel, fees: [], customer_email: 'ana@example.com' };
  const links = { app_id, number, status_id: 1, order_processing_id: id };
  const proforma = (await manager.save('proforma_orders', { ...links, ...terms, ...totals, ...times })) as Row;
  const items = [];
  for (const [position, line] of (evaluation['items'] as Row[]).entries())
    items.push(await reserve(manager, app_id, { ...line, proforma_order_id: proforma.id, position }));
  return { ...proforma, items };
}

async function reserve(manager: EntityManager, app_id: number, line: Row): Promise<unknown> {
  const { variantId: product_variant_id, productId: product_id, code, name, qty, price } = line;
  const where = { app_id, product_variant_id: Number(product_variant_id) };
  const lock = { mode: 'pessimistic_write' } as const;
  const stock = await manager.findOneOrFail<Row>('stocks', { where, order: { id: 'ASC' }, lock });
  await manager.save('stocks', { ...stock, reserved: Number(stock['reserved']) + Number(qty), updated_at: now() });
  const { proforma_order_id, position } = line;
  const place = { product_variant_id, warehouse_id: stock['warehouse_id'] };
  const terms = { code, name, qty, price, vat_rate: 2_000, sales: price, discount: 0 };
  const item = { app_id, proforma_order_id, position, product_id, ...place, ...terms };
  const { id } = (await manager.save('proforma_items', item)) as Row;
  const times = { inserted_at: now(), updated_at: now() };
  await manager.save('stock_reservations', { app_id, proforma_item_id: id, ...place, qty, ...times });
  return { ...item, id };
}

async function load(manager: EntityManager, app_id: number, id: number) {
  const lock = { mode: 'pessimistic_write' } as const;
  const proforma = await manager.findOneOrFail<Row>('proforma_orders', { where: { app_id, id }, lock });
  const items = await manager.find<Row>('proforma_items', { where: { app_id, proforma_order_id: id } });
  const payments = await manager.find<Row>('payments', { where: { app_id, proforma_order_id: id } });
  return { proforma, items, payments };
}

async function pay(manager: EntityManager, app_id: number, id: number): Promise<unknown> {
  const { proforma, items } = await load(manager, app_id, id);
  const amount = proforma['debt'];
  const terms = { amount, method: 'Cash', kind: 'cash', status: 'settled', paid_at: now(), inserted_at: now() };
  const payment = await manager.save('payments', { app_id, proforma_order_id: id, ...terms });
  const changes = { status_id: 3, paid: amount, debt: 0, updated_at: now() };
  const changed = await manager.save('proforma_orders', { ...proforma, ...changes });
  return { ...changed, items, payments: [payment] };
}

async function confirm(manager: EntityManager, app_id: number, id: number): Promise<unknown> {
  const { proforma, items, payments } = await load(manager, app_id, id);
  const confirmed = items.map((item) => ({ ...item, qty_confirmed: item['qty'] }));
  await manager.save('proforma_items', confirmed);
  const changes = { status_id: 4, warehouse_confirmed_at: now(), updated_at: now() };
  const changed = await manager.save('proforma_orders', { ...proforma, ...changes });
  return { ...changed, items: confirmed, payments };
}

async function convert(manager: EntityManager, app_id: number, id: number): Promise<unknown> {
  const { proforma, items, payments } = await load(manager, app_id, id);
  const { number, customer_email, market_id, currency, sales_channel_id, sales_channel, fees } = proforma;
  const { sales, discount, net_sales, vat, end_sales, paid, debt } = proforma;
  const numbers = { data_part: 1, time_part: 1, order_number: `O-${String(number)}`, order_date: now() };
  const terms = { customer_email, market_id, currency, sales_channel_id, sales_channel, fees };
  const totals = { sales, discount, net_sales, vat, end_sales, paid, debt };
  const links = { app_id, payment_status_id: 3, proforma_order_id: id, proforma_number: number };
  const times = { inserted_at: now(), updated_at: now() };
  const order = (await manager.save('orders', { ...links, ...numbers, ...terms, ...totals, ...times })) as Row;
  const lines = items.map(({ id: proforma_item_id, product_variant_id, product_id, warehouse_id, ...line }) => {
    const { position, code, name, qty, price, vat_rate, sales: lineSales } = line;
    const origin = { app_id, order_id: order.id, proforma_item_id, product_variant_id, product_id, warehouse_id };
    return { ...origin, position, code, name, qty, price, vat_rate, sales: lineSales, discount: 0 };
  });
  await manager.save('order_items', lines);
  await manager.save(
    'payments',
    payments.map((payment) => ({ ...payment, order_id: order.id })),
  );
  const changes = { status_id: 6, order_id: order.id, converted_at: now(), due_at: null, updated_at: now() };
  await manager.save('proforma_orders', { ...proforma, ...changes });
  return { ...order, items: lines, payments };
}

/**
 * A naive service: Express and TypeORM entities on the service's tables, as a tutorial would write it, without business
 * rules, stock ledger, events or tokens. It runs in a separate process.
 */
process.once('message', ({ url, poolSize }: { readonly url: string; readonly poolSize: number }) => {
  void serve(url, poolSize);
});

async function serve(url: string, poolSize: number): Promise<void> {
  const source = await dataSourceFor({ url }, poolSize).initialize();
  const app = express().disable('etag').disable('x-powered-by').use(express.json());
  for (const [name, work] of Object.entries<Work>({ evaluate, create, pay, confirm, convert }))
    app.post(`/${name}`, async (request: Request, response: Response) => {
      const [appId, ...values] = request.body as [number, ...never[]];
      response.json({ data: await source.transaction((manager) => work(manager, appId, ...values)) });
    });
  const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

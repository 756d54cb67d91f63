import { proformaOrdersContract } from '@back-office/proforma/testing';
import { TypeOrmProformaOrders } from './typeorm-proforma-orders.js';
import { testApi, type TestApi, type Client } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { GUEST, methodId, warehouse } from '../testing/shop.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

describe('proformas in PostgreSQL', () => {
  proformaOrdersContract(async () => {
    const clients = new Map<number, Client>();
    for (const client of [await api.app(), await api.app()]) clients.set(client.appId, client);
    const [appId, otherAppId] = [...clients.keys()] as [number, number];
    let last = 0;
    return {
      orders: new TypeOrmProformaOrders(api.container.get(TOKENS.Database), api.clock),
      appId,
      otherAppId,
      paymentMethod: {
        id: await methodId(clients.get(appId)!, 'bank_transfer'),
        name: 'Bank transfer',
        kind: 'bank_transfer',
      } as const,
      now: () => api.clock.now(),
      async variantWithStock(
        app: number,
        onHand: Record<string, number>,
        { name, notSellableIn }: { name?: string; notSellableIn?: string } = {},
      ) {
        const client = clients.get(app)!;
        const code = `V${(last += 1)}`;
        await client.put('/warehouse', {
          warehouses: Object.keys(onHand).map((each) => warehouse(each, { sellable: each !== notSellableIn })),
        });
        const { body } = await client.post('/int/products', {
          products: [{ code, name, price: 10, vat_rate: 20, variants: [{ code }] }],
        });
        await client.put('/int/stocks', {
          stocks: Object.entries(onHand).map(([warehouse_code, qty]) => ({ code, warehouse_code, qty })),
        });
        return body.data.products[0].variants[0].id as number;
      },
      async makeEvaluation(app, items, warehouseCode) {
        const { body } = await clients.get(app)!.post('/order_processings', {
          order_processing: {
            guest: GUEST,
            items: items.map(({ variantId, qty }) => ({ product_variant_id: variantId, qty })),
            ...(warehouseCode && { warehouse_code: warehouseCode }),
          },
        });
        return body.data.id as number;
      },
      async stockOf(app, variantId) {
        const [row] = await api.database.rows<{ onHand: number; reserved: number }>(
          `select sum(on_hand)::bigint as "onHand", sum(reserved)::bigint as reserved from stocks where app_id = $1 and product_variant_id = $2`,
          [app, variantId],
        );
        return row ?? { onHand: 0, reserved: 0 };
      },
      async whileLocked(app, id, work) {
        const runner = api.database.source.createQueryRunner();
        await runner.startTransaction();
        await runner.query('select 1 from proforma_orders where app_id = $1 and id = $2 for update', [app, id]);
        try {
          return await work();
        } finally {
          await runner.rollbackTransaction();
          await runner.release();
        }
      },
    };
  });
});

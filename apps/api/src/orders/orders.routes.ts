import { pageOf } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { ok, okText } from '../http/answer.js';
import { PAGING, PARTS, partsOf } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { listOf, record } from '../http/shapes.js';
import { OrderListShape, OrderShape, presentOrder } from './order.js';
import { orderListJson } from './order-list.query.js';
import type { TypeOrmOrders } from './typeorm-orders.js';

const DEFAULT_LIMIT = 30;

export function orderRoutes(orders: TypeOrmOrders, database: Database): Route[] {
  return [
    route({
      method: 'get',
      path: '/orders',
      caller: 'app',
      summary: "The app's orders, newest first",
      query: PAGING,
      answers: { 200: record({ data: listOf(OrderListShape) }) },
      handle: async ({ app, query }) => okText(await orderListJson(database, app, pageOf(query, DEFAULT_LIMIT))),
    }),
    route({
      method: 'get',
      path: '/orders/:id',
      caller: 'app',
      summary: 'One order in full, named by its id and both parts',
      query: PARTS,
      answers: { 200: record({ data: OrderShape }) },
      handle: async ({ app, id, query }) => {
        const { dataPart, timePart } = partsOf(query);
        const order = await orders.findByParts(app.id, id, dataPart, timePart);
        return order && ok(presentOrder(app, order));
      },
    }),
  ];
}

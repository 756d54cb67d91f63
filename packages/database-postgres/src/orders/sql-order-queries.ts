import type { ListedPage } from '@back-office/kernel';
import type { Order, OrderListQuery, OrderQueries } from '@back-office/orders';
import type { Postgres } from '../connection/postgres.js';
import { listedPage } from '../lists/listed-page.js';
import { ORDER_ROW_COLUMNS } from '../proformas/converted-orders.js';
import { orderListStatement } from './order-list.js';

const findStatement = (ids: string): string => `
  select ${ORDER_ROW_COLUMNS.of('o')},
    (select json_agg(i order by i.position) from order_items i where i.app_id = $1 and i.order_id = o.id) as items,
    (select json_agg(y order by y.id) from payments y where y.app_id = $1 and y.order_id = o.id) as payments
  from orders o where o.app_id = $1 and o.id = ${ids}`;
const FIND_ORDER = findStatement('$2');
const FIND_ORDERS = findStatement('any($2::bigint[])');

export class SqlOrderQueries implements OrderQueries {
  constructor(private readonly database: Postgres) {}

  async find(appId: number, id: number): Promise<Order | undefined> {
    return (await this.database.rows<Order>(FIND_ORDER, [appId, id]))[0];
  }

  findAll(appId: number, ids: readonly number[]): Promise<Order[]> {
    return this.database.rows<Order>(FIND_ORDERS, [appId, ids]);
  }

  async findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<Order | undefined> {
    const order = await this.find(appId, id);
    return order?.data_part === dataPart && order.time_part === timePart ? order : undefined;
  }

  async list(query: OrderListQuery): Promise<ListedPage> {
    return listedPage(this.database, orderListStatement(query));
  }
}

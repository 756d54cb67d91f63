export { presentOrder, OrderShape } from './order.js';
export { orderRoutes } from './orders.routes.js';
export * from './sale-shapes.js';
export { insertOrder, settleOrderPayments, TypeOrmOrders } from './typeorm-orders.js';

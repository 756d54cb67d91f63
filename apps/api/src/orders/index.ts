export { presentOrder, OrderShape } from './order.js';
export { orderRoutes } from './orders.routes.js';
export * from './sale-shapes.js';
export { TypeOrmOrderUpdates } from './typeorm-order-updates.js';
export { insertOrder, settleOrderPayments, TypeOrmOrders } from './typeorm-orders.js';

export { presentOrder, OrderShape } from './order.js';
export { importedOrderRoutes } from './imported-orders.routes.js';
export type { DueRefunds, OrderRefunds } from './order-refunds.js';
export { orderRoutes } from './orders.routes.js';
export * from './sale-shapes.js';
export { TypeOrmOrderUpdates } from './typeorm-order-updates.js';
export { TypeOrmImportedOrders } from './typeorm-imported-orders.js';
export { insertOrder, IS_PAYABLE, settleOrderPayments, TypeOrmOrders } from './typeorm-orders.js';

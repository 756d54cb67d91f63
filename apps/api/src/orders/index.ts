export { presentOrder, OrderShape } from './order.js';
export { importedOrderRoutes } from './imported-orders.routes.js';
export { OrderUpdates } from './order-updates.js';
export { orderRoutes } from './orders.routes.js';

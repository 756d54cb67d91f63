export { stockListRoutes, StockShape } from './stock-list.routes.js';
export { reconcileRoutes } from './reconcile.routes.js';
export { stockRoutes } from './stocks.routes.js';
export { warehouseRoutes } from './warehouses.routes.js';

export { bookDepartures, LOCK_ON_HAND } from './departures.query.js';
export { bookReservations, HOLD_SELLING, LOCK_SHELVES, LOCK_SHELVES_AND_SOURCES } from './reservations.query.js';
export { stockListRoutes } from './stock-list.routes.js';
export { reconcileRoutes } from './reconcile.routes.js';
export { stockRoutes } from './stocks.routes.js';
export { TypeOrmStocks } from './typeorm-stocks.js';
export { TypeOrmWarehouses } from './typeorm-warehouses.js';
export { warehouseRoutes } from './warehouses.routes.js';

export * from './audit.js';
export * from './stock.js';
export * from './stock-change-events.js';
export * from './stock-calls.js';
export * from './stock-plan.js';
export * from './warehouse.js';
export * from './warehouse-plan.js';
export * from './warehouses.js';

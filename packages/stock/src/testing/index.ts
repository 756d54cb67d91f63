export type { StockFixture, NewVariant } from './given-stock.js';
export * from './stock.contract.js';
export * from './stock-queries.contract.js';
export * from './warehouses.contract.js';

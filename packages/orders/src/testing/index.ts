export * from './converted-orders.contract.js';
export * from './given-orders.js';
export * from './imported-orders.contract.js';
export * from './order-changes.contract.js';
export * from './order-queries.contract.js';
export * from './order-refunds.contract.js';

export * from './a-proforma.js';
export * from './an-evaluation.js';
export * from './in-memory-proforma-orders.js';
export * from './proforma-orders.contract.js';
export * from './shirt-shop.js';
export * from './a-rule.js';

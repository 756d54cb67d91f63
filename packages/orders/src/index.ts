export * from './order-changes.js';
export * from './order-status.js';
export * from './transitions.js';

export * from './audit.js';
export * from './imported-order.js';
export * from './order.js';
export * from './order-changes.js';
export * from './order-events.js';
export * from './order-ports.js';
export * from './order-status.js';
export * from './transitions.js';

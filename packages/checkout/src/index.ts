export * from './evaluations.js';
export * from './setup/audit.js';
export * from './setup/fields.js';
export * from './setup/promotions.js';
export * from './setup/resource.js';
export * from './setup/set-up-records.js';
export * from './setup/shipment-methods.js';

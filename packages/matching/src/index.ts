export * from './bulk-plan.js';
export * from './explanation.js';
export * from './match.js';
export * from './matching-table.js';

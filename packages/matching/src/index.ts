export * from './explanation.js';
export * from './match.js';
export * from './matching-table.js';

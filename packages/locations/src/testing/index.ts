export * from './attendances.contract.js';
export * from './locations.contract.js';

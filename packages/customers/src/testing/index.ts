export * from './cards.contract.js';
export * from './customers.contract.js';
export * from './personal-data.contract.js';

export * from './cards.contract.js';
export * from './customers.contract.js';

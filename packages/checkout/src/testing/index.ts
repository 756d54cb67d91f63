export * from './a-basket.js';
export * from './evaluation-offers.contract.js';
export * from './evaluations.contract.js';
export * from './given-evaluations.js';
export * from './set-up-records.contract.js';

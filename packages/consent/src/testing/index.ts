export * from './consent-history.contract.js';
export * from './consents.contract.js';
export * from './devices.contract.js';
export * from './given-consents.js';

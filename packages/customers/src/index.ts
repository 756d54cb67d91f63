export * from './card-audit.js';
export * from './cards.js';
export * from './customer.js';
export type { CustomerIdentifier } from '@back-office/kernel';
export * from './customers.js';
export * from './personal-data.js';

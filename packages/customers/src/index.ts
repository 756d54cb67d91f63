export * from './cards.js';
export * from './customer.js';
export type { CustomerIdentifier as CustomerName } from '@back-office/kernel';
export * from './customers.js';

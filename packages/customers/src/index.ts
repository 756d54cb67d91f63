export * from './cards.js';
export * from './customer.js';
export type { CustomerName } from '@back-office/kernel';
export * from './customers.js';

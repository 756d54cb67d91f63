export * from './event-feed.contract.js';
export * from './webhooks.contract.js';

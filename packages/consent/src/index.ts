export * from './change.js';
export * from './consent.js';
export * from './preferred-channel.js';
export * from './standing.js';
export * from './switches.js';

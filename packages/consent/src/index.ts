export * from './change.js';
export * from './consent.js';
export * from './consents.js';
export * from './devices.js';
export * from './preferred-channel.js';
export * from './switch-state.js';
export * from './switches.js';

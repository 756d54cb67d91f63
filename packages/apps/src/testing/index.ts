export * from './access-tokens.contract.js';
export * from './apps.contract.js';
export * from './keyed-calls.contract.js';
export * from './sessions.contract.js';

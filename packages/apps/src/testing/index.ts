export * from './access-tokens.contract.js';
export * from './apps.contract.js';
export * from './keyed-calls.contract.js';
export * from './sessions.contract.js';
export * from './token-administration.contract.js';
export * from './audit-log.contract.js';
export * from './session-administration.contract.js';

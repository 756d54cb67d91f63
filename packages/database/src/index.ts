export * from './backlog.js';
export * from './calls.js';
export * from './database.js';
export * from './errors.js';
export * from './folding.js';
export * from './health.js';
export type { MediaPorts } from '@back-office/media';
export * from './open.js';
export * from './party.js';

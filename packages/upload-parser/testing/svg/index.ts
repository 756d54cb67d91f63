export * from './sanitized.js';
export * from './hostile-drawings.js';
export * from './real-drawings.js';

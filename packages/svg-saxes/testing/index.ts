export * from './cleaned.js';
export * from './hostile-drawings.js';
export * from './real-drawings.js';

export * from './manual-clock.js';
export * from './runner.js';

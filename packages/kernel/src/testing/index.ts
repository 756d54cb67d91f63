export * from './manual-clock.js';
export * from './runner.js';
export * from './follow-positions.js';

export * from './memory-limit.js';

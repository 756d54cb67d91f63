export * from './async-scope.js';

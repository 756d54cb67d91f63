export * from './harmless-svg.js';
export * from './svg-size.js';

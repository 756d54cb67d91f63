export * from './attendances.js';
export * from './distance.js';
export * from './location.js';
export * from './location-rows.js';
export * from './locations.js';

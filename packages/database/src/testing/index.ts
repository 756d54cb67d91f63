export * from './fixture.js';
export * from './sales-fixture.js';
export * from './proforma-set-up.js';

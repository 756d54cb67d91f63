export * from './backlog.contract.js';
export * from './conditional-writes.contract.js';
export * from './fixture.js';
export * from './sales-fixture.js';
export * from './proforma-set-up.js';
export * from './recorded-changes.contract.js';
export * from './personal-records.contract.js';
export * from './records-by-id.contract.js';

export * from './attributes.contract.js';
export type { CatalogueFixture } from './given-catalogue.js';
export * from './product-queries.contract.js';
export * from './products.contract.js';

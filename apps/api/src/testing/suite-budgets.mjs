/**
 * Maximum CPU seconds per suite and its child processes, with three workers on two cores. The default includes the
 * modules that the first suite of a worker loads. `wall` decides which suites start first.
 */
export const DEFAULT_BUDGET = { cpu: 5, wall: 5 };

/** A suite may exceed its budget by this factor. */
export const TOLERANCE = 2;

/** On a slower machine, all budgets grow in proportion, at most by this factor. */
export const MAX_SLOWNESS = 3;

/** CPU time of all suites of a tier when the budgets were set. */
export const REFERENCE_CPU_SECONDS = { first: 340, full: 420 };

const FIRST_TIER = {
  'apps/api/src/catalogue/products.pg.test.ts': { cpu: 6, wall: 12 },
  'apps/api/src/http/bad-input.pg.test.ts': { cpu: 24, wall: 47 },
  'apps/api/src/http/every-route.pg.test.ts': { cpu: 6, wall: 8 },
  'apps/api/src/http/tenancy.pg.test.ts': { cpu: 10, wall: 20 },
  'apps/api/src/http/translations.api.test.ts': { cpu: 5, wall: 7 },
  'apps/api/src/media/files/media-lists.pg.test.ts': { cpu: 10, wall: 17 },
  'apps/api/src/media/processing/real-files.pg.test.ts': { cpu: 5, wall: 6 },
  'apps/api/src/media/serving/cache-purge.pg.test.ts': { cpu: 9, wall: 10 },
  'apps/api/src/media/serving/publication.pg.test.ts': { cpu: 5, wall: 7 },
  'apps/api/src/media/trash/trash.pg.test.ts': { cpu: 8, wall: 10 },
  'apps/api/src/media/usages/usages.pg.test.ts': { cpu: 5, wall: 13 },
  'apps/api/src/media/versions/versions.pg.test.ts': { cpu: 5, wall: 11 },
  'apps/api/src/process.pg.test.ts': { cpu: 16, wall: 18 },
  'apps/api/src/proformas/proforma-tables.pg.test.ts': { cpu: 8, wall: 15 },
  'apps/api/src/proformas/refund-page.test.ts': { cpu: 5, wall: 11 },
  'apps/api/src/readme.pg.test.ts': { cpu: 8, wall: 11 },
  'apps/api/src/runtime/probes.pg.test.ts': { cpu: 10, wall: 15 },
  'apps/api/src/setup/setup.pg.test.ts': { cpu: 6, wall: 12 },
  'apps/api/src/stock/stocks.pg.test.ts': { cpu: 5, wall: 9 },
  'packages/database-postgres/src/connection/database.pg.test.ts': { cpu: 5, wall: 31 },
  'packages/database-postgres/src/media/media-contracts.pg.test.ts': { cpu: 5, wall: 21 },
  'packages/database-postgres/src/media/processing/graphile-job-queue.pg.test.ts': { cpu: 5, wall: 20 },
  'packages/database-postgres/src/orders/orders.pg.test.ts': { cpu: 5, wall: 9 },
  'packages/facts-mediainfo/src/mediainfo-facts.contract.test.ts': { cpu: 8, wall: 13 },
  'packages/images-sharp/src/sharp-image-processor.contract.test.ts': { cpu: 11, wall: 16 },
  'packages/images-sharp/src/sharp-image-processor.test.ts': { cpu: 5, wall: 6 },
  'packages/images-sharp/src/strip-location.test.ts': { cpu: 5, wall: 6 },
  'packages/media/src/location/strip-location.test.ts': { cpu: 8, wall: 12 },
  'packages/pages-pdfium/src/pdfium-page-renderer.contract.test.ts': { cpu: 12, wall: 26 },
  'packages/upload-parser/src/isolated-upload-parser.test.ts': { cpu: 8, wall: 8 },
  'packages/storage-disk/src/disk-media-store.contract.test.ts': { cpu: 8, wall: 14 },
  'packages/upload-parser/src/svg/sanitize-svg.test.ts': { cpu: 5, wall: 9 },
};

const SECOND_TIER = {
  'apps/api/src/catalogue/large-catalogue.full.pg.test.ts': { cpu: 5, wall: 12 },
  'apps/api/src/cli.full.pg.test.ts': { cpu: 50, wall: 80 },
  'tools/differential/differential.full.pg.test.ts': { cpu: 120, wall: 300 },
  'apps/api/src/docs/api-examples.full.api.test.ts': { cpu: 6, wall: 8 },
  'apps/api/src/docs/pages.full.browser.test.ts': { cpu: 8, wall: 82 },
  'apps/api/src/http/bad-input.full.pg.test.ts': { cpu: 60, wall: 110 },
  'apps/api/src/http/early-answer.full.pg.test.ts': { cpu: 8, wall: 16 },
  'apps/api/src/media/files/upload-memory.full.pg.test.ts': { cpu: 6, wall: 8 },
  'apps/api/src/media/trash/large-trash.full.pg.test.ts': { cpu: 8, wall: 14 },
  'apps/api/src/media/processing/media-kill.full.pg.test.ts': { cpu: 8, wall: 31 },
  'apps/api/src/new-app.full.pg.test.ts': { cpu: 8, wall: 40 },
  'apps/api/src/npm-scripts.full.pg.test.ts': { cpu: 8, wall: 14 },
  'apps/api/src/process.full.pg.test.ts': { cpu: 11, wall: 15 },
  'apps/api/src/processes.full.pg.test.ts': { cpu: 15, wall: 18 },
  'apps/api/src/proformas/refund-kill.full.pg.test.ts': { cpu: 6, wall: 8 },
  'apps/api/src/runtime/connection-errors.full.pg.test.ts': { cpu: 14, wall: 20 },
  'apps/api/src/runtime/load-config.full.pg.test.ts': { cpu: 9, wall: 11 },
  'apps/api/src/testing/run-tests.full.pg.test.ts': { cpu: 14, wall: 40 },
  'packages/database-postgres/src/embedded/embedded-postgres.full.test.ts': { cpu: 7, wall: 11 },
  'packages/images-jimp/src/jimp-image-processor.contract.full.test.ts': { cpu: 20, wall: 26 },
  'packages/database-memory/src/proformas/proforma-model.full.test.ts': { cpu: 5, wall: 5 },
  'packages/upload-parser/src/fuzz.full.test.ts': { cpu: 5, wall: 5 },
  'tools/clients/generated-clients.full.api.test.ts': { cpu: 23, wall: 45 },
  'tools/openapi/openapi-lint.full.test.ts': { cpu: 5, wall: 5 },
  'tools/packages/packages.full.test.ts': { cpu: 19, wall: 35 },
  'tools/storage-s3/s3-media-store-contract.full.test.ts': { cpu: 15, wall: 35 },
};

export const BUDGETS = { ...FIRST_TIER, ...SECOND_TIER };

export function budgetOf(name) {
  return BUDGETS[name] ?? DEFAULT_BUDGET;
}

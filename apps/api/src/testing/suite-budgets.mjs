/**
 * Seconds per suite, with three workers on two cores. `cpu` is the maximum CPU time of the suite and its child
 * processes. `wall` decides which suites start first.
 */
export const DEFAULT_BUDGET = { cpu: 5, wall: 8 };

/** A suite may exceed its budget by this factor, because the first suite of each worker also loads modules. */
export const TOLERANCE = 2;

/** CPU time of all suites when the budgets were set. On a slower machine, all budgets grow accordingly. */
export const REFERENCE_CPU_SECONDS = 300;

const THOUSANDS_OF_CALLS = {
  'apps/api/src/http/bad-input.full.one-server.test.ts': { cpu: 30, wall: 55 },
  'apps/api/src/catalogue/products.pg.test.ts': { cpu: 5, wall: 10 },
  'apps/api/src/differential/differential.full.pg.test.ts': { cpu: 70, wall: 110 },
  'apps/api/src/http/every-route.one-server.test.ts': { cpu: 5, wall: 9 },
  'apps/api/src/http/tenancy.one-server.test.ts': { cpu: 5, wall: 10 },
  'apps/api/src/proformas/proforma-tables.pg.test.ts': { cpu: 5, wall: 12 },
  'apps/api/src/setup/setup.pg.test.ts': { cpu: 5, wall: 10 },
  'apps/api/src/stock/stocks.pg.test.ts': { cpu: 5, wall: 11 },
  'packages/database-postgres/src/orders/orders.pg.test.ts': { cpu: 5, wall: 13 },
};

const LARGE_TABLES = {
  'apps/api/src/catalogue/product-list.one-server.test.ts': { cpu: 5, wall: 11 },
  'apps/api/src/media/usages/usages.one-server.test.ts': { cpu: 5, wall: 11 },
  'apps/api/src/new-app.full.one-server.test.ts': { cpu: 5, wall: 18 },
};

const PROCESSES = {
  'tools/rules/architecture.check.test.ts': { cpu: 7, wall: 9 },
  'apps/api/src/cli.pg.test.ts': { cpu: 9, wall: 11 },
  'apps/api/src/docs/generated-clients.api.test.ts': { cpu: 24, wall: 40 },
  'apps/api/src/docs/api-examples.api.test.ts': { cpu: 7, wall: 12 },
  'apps/api/src/docs/openapi-lint.test.ts': { cpu: 12, wall: 17 },
  'apps/api/src/media/processing/media-kill.full.pg.test.ts': { cpu: 10, wall: 34 },
  'apps/api/src/packages.test.ts': { cpu: 20, wall: 30 },
  'apps/api/src/processes.full.pg.test.ts': { cpu: 8, wall: 20 },
  'apps/api/src/process.pg.test.ts': { cpu: 24, wall: 42 },
  'apps/api/src/sources.test.ts': { cpu: 28, wall: 25 },
  'apps/api/src/telemetry/telemetry-off.full.pg.test.ts': { cpu: 8, wall: 16 },
  'packages/database-postgres/src/embedded/embedded-postgres.test.ts': { cpu: 8, wall: 13 },
};

const WAITS_FOR_TIMEOUTS = {
  'packages/database-postgres/src/database.pg.test.ts': { cpu: 5, wall: 25 },
  'packages/database-postgres/src/media/graphile-job-queue.pg.test.ts': { cpu: 5, wall: 20 },
  'packages/database-postgres/src/media/media-contracts.pg.test.ts': { cpu: 5, wall: 15 },
  'apps/api/src/proformas/refund-page.test.ts': { cpu: 5, wall: 12 },
};

const FOREIGN_FILES = {
  'packages/facts-mediainfo/src/mediainfo-facts.contract.test.ts': { cpu: 11, wall: 14 },
  'packages/images-jimp/src/jimp-image-processor.contract.test.ts': { cpu: 14, wall: 18 },
  'packages/images-sharp/src/sharp-image-processor.contract.test.ts': { cpu: 9, wall: 12 },
  'packages/pages-pdfium/src/pdfium-page-renderer.contract.test.ts': { cpu: 12, wall: 20 },
  'packages/parser-processes/src/fuzz.full.test.ts': { cpu: 6, wall: 8 },
  'packages/parser-processes/src/isolated-upload-parser.test.ts': { cpu: 8, wall: 10 },
};

export const BUDGETS = {
  ...THOUSANDS_OF_CALLS,
  ...LARGE_TABLES,
  ...PROCESSES,
  ...WAITS_FOR_TIMEOUTS,
  ...FOREIGN_FILES,
};

export function budgetOf(name) {
  return BUDGETS[name] ?? DEFAULT_BUDGET;
}

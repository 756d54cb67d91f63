/** Seconds of a suite that is not named below, with three suites at a time on two cores. */
export const DEFAULT_BUDGET_SECONDS = 8;

/** A suite fails beyond its budget times this: it shares the machine with two others. */
export const TOLERANCE = 1.5;

/** Sum over all suites when the budgets were set; where it is larger, the machine is slower and the budgets grow. */
export const REFERENCE_SECONDS = 720;

const THOUSANDS_OF_CALLS = {
  'apps/api/src/http/bad-input.api.test.ts': 75,
  'apps/api/src/catalogue/products.api.test.ts': 15,
  'apps/api/src/http/tenancy.api.test.ts': 11,
  'apps/api/src/proformas/proforma-tables.api.test.ts': 14,
  'apps/api/src/setup/setup.api.test.ts': 10,
  'apps/api/src/stock/stocks.api.test.ts': 12,
};

const LARGE_TABLES = {
  'apps/api/src/catalogue/product-list.api.test.ts': 11,
  'apps/api/src/checks/check.api.test.ts': 9,
  'apps/api/src/media/usages.api.test.ts': 11,
  'apps/api/src/new-app.api.test.ts': 18,
};

const PROCESSES = {
  'apps/api/src/architecture.test.ts': 9,
  'apps/api/src/cli.api.test.ts': 15,
  'apps/api/src/database/embedded/embedded-postgres.test.ts': 12,
  'apps/api/src/media/media-kill.api.test.ts': 35,
  'apps/api/src/process.api.test.ts': 45,
  'apps/api/src/sources.test.ts': 30,
};

const TIMEOUTS_AWAITED = {
  'apps/api/src/database/database.db.test.ts': 25,
  'apps/api/src/http/early-answer.api.test.ts': 11,
  'apps/api/src/media/media-worker.db.test.ts': 21,
};

const FOREIGN_FILES = {
  'packages/facts-mediainfo/src/mediainfo-facts.test.ts': 13,
  'packages/images-sharp/src/without-place.test.ts': 9,
  'packages/media/src/place/without-place.test.ts': 10,
  'packages/pages-pdfium/src/pdfium-page-renderer.test.ts': 17,
};

export const BUDGETS_SECONDS = {
  ...THOUSANDS_OF_CALLS,
  ...LARGE_TABLES,
  ...PROCESSES,
  ...TIMEOUTS_AWAITED,
  ...FOREIGN_FILES,
};

export function budgetOf(name) {
  return BUDGETS_SECONDS[name] ?? DEFAULT_BUDGET_SECONDS;
}

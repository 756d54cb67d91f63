/** Of a suite that is not named below, on two cores that run three suites at a time. */
export const DEFAULT_BUDGET_SECONDS = 8;

/** Sum over all suites when the budgets were set; where it is larger, the machine is slower and so are the budgets. */
export const REFERENCE_SECONDS = 700;

/** They send thousands of calls, start processes, or wait for timeouts of the database and of foreign libraries. */
export const BUDGETS_SECONDS = {
  'apps/api/src/http/bad-input.api.test.ts': 90,
};

export function budgetOf(name) {
  return BUDGETS_SECONDS[name] ?? DEFAULT_BUDGET_SECONDS;
}

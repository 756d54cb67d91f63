import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUDGETS, budgetOf, MAX_SLOWNESS, REFERENCE_CPU_SECONDS, TOLERANCE } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TIER = process.env.TEST_TIER ?? 'first';

/** Fails a complete run of a tier if a suite exceeds its CPU budget. */
export default class BudgetReporter {
  #errors = [];

  constructor({ testPathPatterns, testNamePattern, watch, watchAll, onlyChanged, onlyFailures, shard, projects }) {
    const isPartialRun =
      testPathPatterns.patterns.length > 0 || testNamePattern || onlyChanged || onlyFailures || shard;
    this.isCompleteRun = !isPartialRun && !watch && !watchAll;
    this.projects = projects.length;
  }

  onRunComplete(contexts, { testResults }) {
    if (!this.isCompleteRun || contexts.size < this.projects || !(TIER in REFERENCE_CPU_SECONDS)) return;
    const suites = testResults.map(({ testFilePath, perfStats }) => ({
      name: relative(ROOT, testFilePath),
      cpu: perfStats.cpuSeconds ?? 0,
    }));
    const cpu = suites.reduce((total, suite) => total + suite.cpu, 0);
    process.stderr.write(`The suites used ${cpu.toFixed(0)} s of CPU.\n`);
    this.#errors = describeOverBudget(suites, allowanceOf(cpu / REFERENCE_CPU_SECONDS[TIER]));
  }

  getLastError() {
    if (this.#errors.length === 0) return undefined;
    const error = new Error(`Suites over their budget:\n${this.#errors.join('\n')}`);
    console.error(error.message);
    return error;
  }
}

/** `slowness` is the CPU time of the run, divided by the reference. A run that is too slow fails by its largest suites. */
export function allowanceOf(slowness) {
  return TOLERANCE * Math.min(Math.max(1, slowness), MAX_SLOWNESS);
}

export function describeOverBudget(suites, allowance, names = Object.keys(BUDGETS)) {
  const suitesOverBudget = suites.filter(({ name, cpu }) => cpu > budgetOf(name).cpu * allowance);
  const unknownNames = names.filter((name) => !existsSync(`${ROOT}${name}`));
  return [
    ...suitesOverBudget.map(
      ({ name, cpu }) => `${name}: ${cpu.toFixed(1)} s of CPU for ${(budgetOf(name).cpu * allowance).toFixed(1)} s`,
    ),
    ...unknownNames.map((name) => `${name}: has a budget but does not exist`),
  ];
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { BUDGETS, budgetOf, REFERENCE_CPU_SECONDS, TOLERANCE } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE = `${ROOT}CONTRIBUTING.md`;
const [START, END] = ['<!-- times: start -->', '<!-- times: end -->'];
const MAX_ROWS = 12;
const TIER = process.env.TEST_TIER ?? 'first';

/**
 * Checks the CPU budgets after a complete run. With `TEST_TIMES`, also writes the report that CONTRIBUTING.md
 * describes.
 */
export default class TimesReporter {
  #errors = [];

  constructor({ testPathPatterns, testNamePattern, watch, watchAll, onlyChanged, onlyFailures, shard, projects }) {
    const isPartialRun =
      testPathPatterns.patterns.length > 0 || testNamePattern || onlyChanged || onlyFailures || shard;
    this.isCompleteRun = !isPartialRun && !watch && !watchAll;
    this.projects = projects.length;
  }

  async onRunComplete(contexts, { testResults, startTime, numTotalTests }) {
    if (!this.isCompleteRun || contexts.size < this.projects || !(TIER in REFERENCE_CPU_SECONDS)) return;
    const suites = testResults.map(timesOf).sort((a, b) => b.seconds - a.seconds);
    const cpu = sum(suites.map((suite) => suite.cpu));
    this.#errors = describeOverBudget(suites, TOLERANCE * Math.max(1, cpu / REFERENCE_CPU_SECONDS[TIER]));
    if (process.env.TEST_TIMES)
      await writeReport(suites, { elapsed: (Date.now() - startTime) / 1000, cpu, numTotalTests });
  }

  getLastError() {
    if (this.#errors.length === 0) return undefined;
    const error = new Error(`Suites over their budget:\n${this.#errors.join('\n')}`);
    console.error(error.message);
    return error;
  }
}

function timesOf({ testFilePath, perfStats, testResults }) {
  const tests = testResults.map(({ fullName, duration }) => ({ name: fullName, seconds: (duration ?? 0) / 1000 }));
  const seconds = (perfStats.end - perfStats.start) / 1000;
  const name = relative(ROOT, testFilePath);
  const setUp = seconds - sum(tests.map((test) => test.seconds));
  return { name, seconds, cpu: perfStats.cpuSeconds ?? 0, setUp, tests };
}

export function describeOverBudget(suites, allowance, budgets = BUDGETS) {
  const suitesOverBudget = suites.filter(({ name, cpu }) => cpu > budgetOf(name).cpu * allowance);
  const unknownNames = Object.keys(budgets).filter((name) => !existsSync(`${ROOT}${name}`));
  return [
    ...suitesOverBudget.map(
      ({ name, cpu }) => `${name}: ${cpu.toFixed(1)} s of CPU for ${(budgetOf(name).cpu * allowance).toFixed(1)} s`,
    ),
    ...unknownNames.map((name) => `${name}: has a budget but does not exist`),
  ];
}

async function writeReport(suites, { elapsed, cpu, numTotalTests }) {
  const totalOf = (key) => sum(suites.map((suite) => suite[key])).toFixed(0);
  const tests = suites.flatMap((suite) => suite.tests.map((test) => ({ ...test, suite: suite.name })));
  const slowest = tests.sort((a, b) => b.seconds - a.seconds).slice(0, MAX_ROWS);
  const report = [
    `${numTotalTests} tests in ${suites.length} suites took ${elapsed.toFixed(0)} s, on Node ${process.versions.node}.`,
    `The times of all suites add up to ${totalOf('seconds')} s, of which set-up and tear-down take ${totalOf('setUp')} s. They used ${cpu.toFixed(0)} s of CPU.`,
    '',
    table(['Slowest suites', 'seconds', 'CPU', 'in set-up', 'tests'], suites.slice(0, MAX_ROWS).map(suiteRow)),
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [textBefore, textAfter] = [page.split(START)[0], page.split(END)[1]];
  const text = `${textBefore}${START}\n\n${report}\n\n${END}${textAfter}`;
  writeFileSync(PAGE, (await format(PAGE, text)).code);
  process.stdout.write(`${report}\n\n${table(['Slowest tests', 'seconds', 'suite'], slowest.map(testRow))}\n`);
}

function suiteRow({ name, seconds, cpu, setUp, tests }) {
  return [`\`${name}\``, seconds.toFixed(1), cpu.toFixed(1), setUp.toFixed(1), tests.length];
}

function testRow({ name, seconds, suite }) {
  return [name.replaceAll('|', '\\|'), seconds.toFixed(1), `\`${suite}\``];
}

function table(headers, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(headers), line(headers.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function sum(numbers) {
  return numbers.reduce((total, value) => total + value, 0);
}

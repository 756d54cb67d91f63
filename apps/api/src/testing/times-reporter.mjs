import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { BUDGETS_SECONDS, budgetOf, REFERENCE_SECONDS, TOLERANCE } from './suite-budgets.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE = `${ROOT}CONTRIBUTING.md`;
const [START, END] = ['<!-- times: start -->', '<!-- times: end -->'];
const SHOWN = 12;

/** Holds every suite to its budget when all of them ran; with `TEST_TIMES` it also writes the report of CONTRIBUTING.md. */
export default class TimesReporter {
  #errors = [];

  constructor({ testPathPatterns, testNamePattern, watch, watchAll, onlyChanged, onlyFailures, shard, projects }) {
    const isPart = testPathPatterns.patterns.length > 0 || testNamePattern || onlyChanged || onlyFailures || shard;
    this.isWhole = !isPart && !watch && !watchAll;
    this.projects = projects.length;
  }

  async onRunComplete(contexts, { testResults, startTime, numTotalTests }) {
    if (!this.isWhole || contexts.size < this.projects) return;
    const suites = testResults.map(timesOf).sort((a, b) => b.seconds - a.seconds);
    const total = sum(suites.map(({ seconds }) => seconds));
    const allowance = TOLERANCE * Math.max(1, total / REFERENCE_SECONDS);
    this.#errors = overBudget(suites, allowance);
    if (process.env.TEST_TIMES)
      await writeReport(suites, { elapsed: (Date.now() - startTime) / 1000, total, numTotalTests });
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
  return { name, seconds, setUp: seconds - sum(tests.map((test) => test.seconds)), tests };
}

export function overBudget(suites, allowance) {
  const late = suites.filter(({ name, seconds }) => seconds > budgetOf(name) * allowance);
  const unknown = Object.keys(BUDGETS_SECONDS).filter((name) => !suites.some((suite) => suite.name === name));
  return [
    ...late.map(
      ({ name, seconds }) => `${name}: ${seconds.toFixed(1)} s for ${(budgetOf(name) * allowance).toFixed(1)} s`,
    ),
    ...unknown.map((name) => `${name}: has a budget, but is no suite`),
  ];
}

async function writeReport(suites, { elapsed, total, numTotalTests }) {
  const setUp = sum(suites.map((suite) => suite.setUp));
  const tests = suites.flatMap((suite) => suite.tests.map((test) => ({ ...test, suite: suite.name })));
  const slowest = tests.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
  const report = [
    `${numTotalTests} tests in ${suites.length} suites took ${elapsed.toFixed(0)} s, on Node ${process.versions.node}.`,
    `The suites together took ${total.toFixed(0)} s, ${setUp.toFixed(0)} s of it in set-up and tear-down.`,
    '',
    table(['Slowest suites', 'seconds', 'in set-up', 'tests'], suites.slice(0, SHOWN).map(suiteRow)),
    '',
    table(['Slowest tests', 'seconds', 'suite'], slowest.map(testRow)),
  ].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [before, after] = [page.split(START)[0], page.split(END)[1]];
  const text = `${before}${START}\n\n${report}\n\n${END}${after}`;
  writeFileSync(PAGE, await format(text, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
  process.stdout.write(`${report}\n`);
}

function suiteRow({ name, seconds, setUp, tests }) {
  return [`\`${name}\``, seconds.toFixed(1), setUp.toFixed(1), tests.length];
}

function testRow({ name, seconds, suite }) {
  return [name.replaceAll('|', '\\|'), seconds.toFixed(1), `\`${suite}\``];
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

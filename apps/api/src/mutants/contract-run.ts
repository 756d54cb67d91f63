import { pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunReport, RunRequest, SuiteRequest } from './messages.js';
import { Registry, type Hook, type Suite, type Test } from './registry.js';

// Each run is a process of this file. It runs the requested suites one after another and exits at the first failed
// test.

const HOOK_TIMEOUT_MS = 20_000;
const CLOSING_TIMEOUT_MS = 5_000;
/**
 * Error codes of statements that PostgreSQL cannot parse. A mutant with such an error always fails, so it proves
 * nothing.
 */
const UNPARSABLE_CODES = new Set([
  '42601',
  '42703',
  '42804',
  '42883',
  '42P01',
  '42P02',
  '42P08',
  '42P10',
  '42P18',
  '42803',
  '42702',
  '42846',
  '42725',
]);

class TestFailure extends Error {}

let coveredFunctions = new Set<number>();
let isSqlInvalid = false;
const closingHooks: Hook[] = [];

Object.assign(globalThis, { coveredFunction: (id: number) => coveredFunctions.add(id) });

function report(message: RunReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function runWithTimeout(name: string, ms: number, work: Hook): Promise<void> {
  const timeout = new AbortController();
  const timer = pause(ms, undefined, { signal: timeout.signal, ref: true }).then(() => {
    throw new TestFailure(`${name}: took more than ${ms} ms`);
  });
  timer.catch(() => {});
  try {
    await Promise.race([work(), timer]);
  } catch (error) {
    throw error instanceof TestFailure ? error : new TestFailure(`${name}: ${(error as Error | undefined)?.message}`);
  } finally {
    timeout.abort();
  }
}

async function runSuite(suite: Suite, request: RunRequest, suiteRequest: SuiteRequest): Promise<void> {
  const isSelected = (test: Test): boolean => suiteRequest.tests === undefined || String(test.id) in suiteRequest.tests;
  const entries = suite.entries.filter((entry) =>
    'entries' in entry ? entry.tests().some(isSelected) : isSelected(entry),
  );
  if (entries.length === 0) return;
  closingHooks.push(...suite.afterAllHooks);
  for (const hook of suite.beforeAllHooks) await runWithTimeout(`${suite.name}: set-up`, HOOK_TIMEOUT_MS, hook);
  await report({ file: suiteRequest.file, setUp: [...coveredFunctions] });
  for (const entry of request.reversed ? entries.reverse() : entries) {
    if ('entries' in entry) await runSuite(entry, request, suiteRequest);
    else await runTest(entry, suite, request, suiteRequest);
  }
  for (const hook of suite.afterAllHooks.toReversed()) {
    closingHooks.splice(closingHooks.indexOf(hook), 1);
    await runWithTimeout(`${suite.name}: clean-up`, HOOK_TIMEOUT_MS, hook);
  }
}

async function runTest(test: Test, suite: Suite, request: RunRequest, suiteRequest: SuiteRequest): Promise<void> {
  coveredFunctions = new Set();
  const startMs = performance.now();
  const ms = suiteRequest.tests?.[test.id] ?? Math.max(test.timeoutMs ?? 0, request.timeoutMs);
  const name = `${suite.path()} ${test.name}`;
  await runWithTimeout(name, ms, async () => {
    for (const hook of suite.beforeEach()) await hook();
    await test.run();
  });
  const elapsedMs = performance.now() - startMs;
  await report({
    passedTest: { file: suiteRequest.file, test: test.id, name, ms: elapsedMs, covered: [...coveredFunctions] },
  });
}

async function runAll(request: RunRequest): Promise<void> {
  if (request.watchSql) await watchSql();
  for (const suiteRequest of request.suites) {
    coveredFunctions = new Set();
    const registry = new Registry();
    Object.assign(globalThis, registry.globals());
    await import(pathToFileURL(suiteRequest.file).href);
    await runSuite(registry.root, request, suiteRequest);
  }
}

interface Client {
  readonly connection: { on(event: 'errorMessage', listen: (message: { readonly code?: string }) => void): void };
}

async function watchSql(): Promise<void> {
  const { default: pg } = await import('pg');
  const connect = Reflect.get(pg.Client.prototype, 'connect') as (this: Client, ...args: unknown[]) => unknown;
  Reflect.set(pg.Client.prototype, 'connect', function (this: Client, ...args: unknown[]) {
    this.connection.on('errorMessage', ({ code = '' }) => {
      isSqlInvalid ||= UNPARSABLE_CODES.has(code);
    });
    return connect.apply(this, args);
  });
}

async function fail(error: unknown): Promise<void> {
  const [name = '', message = ''] = String((error as Error | undefined)?.message).split(/: ([^]*)/);
  await report({ failedTest: name, message: message.slice(0, 2_000), isSqlInvalid });
  await Promise.race([Promise.allSettled(closingHooks.map((hook) => hook())), pause(CLOSING_TIMEOUT_MS)]);
  process.exit();
}

process.on('unhandledRejection', (error) => void fail(error));
process.on('uncaughtException', (error) => void fail(error));
process.once('message', (request: RunRequest) => {
  void runAll(request)
    .then(() => report({ done: true }))
    .then(() => process.exit(), fail);
});

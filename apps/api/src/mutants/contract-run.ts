import { pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunReport, RunRequest, SuiteRequest } from './messages.js';
import { Registry, type Hook, type Suite, type Test } from './registry.js';

// A process of its own for each run: runs the suites it is sent one after the other, and ends at the first failure.

const HOOK_MS = 20_000;
const CLOSING_MS = 5_000;
/** PostgreSQL cannot read the statement: it is broken for whatever it is asked with, which proves nothing. */
const UNREADABLE = new Set([
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

class Failed extends Error {}

let covered = new Set<number>();
let isSqlInvalid = false;
const closing: Hook[] = [];

Object.assign(globalThis, { coveredFunction: (id: number) => covered.add(id) });

function report(message: RunReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}

async function within(what: string, ms: number, work: Hook): Promise<void> {
  const late = new AbortController();
  const timer = pause(ms, undefined, { signal: late.signal, ref: true }).then(() => {
    throw new Failed(`${what}: took more than ${ms} ms`);
  });
  timer.catch(() => {});
  try {
    await Promise.race([work(), timer]);
  } catch (error) {
    throw error instanceof Failed ? error : new Failed(`${what}: ${(error as Error | undefined)?.message}`);
  } finally {
    late.abort();
  }
}

async function runSuite(suite: Suite, request: RunRequest, asked: SuiteRequest): Promise<void> {
  const runs = (test: Test): boolean => asked.tests === undefined || String(test.id) in asked.tests;
  const entries = suite.entries.filter((entry) => ('entries' in entry ? entry.tests().some(runs) : runs(entry)));
  if (entries.length === 0) return;
  closing.push(...suite.after);
  for (const hook of suite.before) await within(`${suite.name}: set-up`, HOOK_MS, hook);
  await report({ file: asked.file, setUp: [...covered] });
  for (const entry of request.reversed ? entries.reverse() : entries) {
    if ('entries' in entry) await runSuite(entry, request, asked);
    else await runTest(entry, suite, request, asked);
  }
  for (const hook of suite.after.toReversed()) {
    closing.splice(closing.indexOf(hook), 1);
    await within(`${suite.name}: clean-up`, HOOK_MS, hook);
  }
}

async function runTest(test: Test, suite: Suite, request: RunRequest, asked: SuiteRequest): Promise<void> {
  covered = new Set();
  const begun = performance.now();
  const ms = asked.tests?.[test.id] ?? Math.max(test.timeoutMs ?? 0, request.timeoutMs);
  const name = `${suite.path()} ${test.name}`;
  await within(name, ms, async () => {
    for (const hook of suite.beforeEach()) await hook();
    await test.run();
  });
  const took = performance.now() - begun;
  await report({ passed: { file: asked.file, test: test.id, name, ms: took, covered: [...covered] } });
}

async function runAll(request: RunRequest): Promise<void> {
  if (request.watchSql) await watchSql();
  for (const asked of request.suites) {
    covered = new Set();
    const registry = new Registry();
    Object.assign(globalThis, registry.globals());
    await import(pathToFileURL(asked.file).href);
    await runSuite(registry.root, request, asked);
  }
}

interface Client {
  readonly connection: { on(event: 'errorMessage', listen: (message: { readonly code?: string }) => void): void };
}

async function watchSql(): Promise<void> {
  const { default: pg } = await import('pg');
  const connect = Reflect.get(pg.Client.prototype, 'connect') as (this: Client, ...more: unknown[]) => unknown;
  Reflect.set(pg.Client.prototype, 'connect', function (this: Client, ...more: unknown[]) {
    this.connection.on('errorMessage', ({ code = '' }) => {
      isSqlInvalid ||= UNREADABLE.has(code);
    });
    return connect.apply(this, more);
  });
}

async function fail(error: unknown): Promise<void> {
  const [failed = '', why = ''] = String((error as Error | undefined)?.message).split(/: ([^]*)/);
  await report({ failed, why: why.slice(0, 2_000), isSqlInvalid });
  await Promise.race([Promise.allSettled(closing.map((hook) => hook())), pause(CLOSING_MS)]);
  process.exit();
}

process.on('unhandledRejection', (error) => void fail(error));
process.on('uncaughtException', (error) => void fail(error));
process.once('message', (request: RunRequest) => {
  void runAll(request)
    .then(() => report({ done: true }))
    .then(() => process.exit(), fail);
});

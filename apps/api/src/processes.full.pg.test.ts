import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestDatabase, type TestDatabase } from '@back-office/database-postgres/testing';
import { startServer, type ServerProcess } from './testing/server-process.js';

const SETTINGS = '/api/v2/app/settings';

let database: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let token: string;

beforeAll(async () => {
  database = await makeTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'back-office-processes-'));
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    DATABASE_POOL_SIZE: '4',
  };
  server = await startServer({ ...environment, PROCESSES: '2', DEMO: 'true' });
  [, token = ''] = /^ {2}(bo_app_\S+)$/m.exec(server.output()) ?? [];
  await until(() => logLines().some(({ msg }) => msg === 'all processes started'));
}, 60_000);
afterAll(async () => {
  await server.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface LogLine {
  readonly msg: string;
  readonly pid?: number;
  readonly processes?: readonly { readonly role: string; readonly pid: number }[];
}

function logLines(): LogLine[] {
  const lines = server.output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}

function pidsOf(message: string): number[] {
  return logLines().flatMap(({ msg, pid }) => (msg === message && pid !== undefined ? [pid] : []));
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > endMs) throw new Error(`not reached; the log is\n${server.output()}`);
    await pause(50);
  }
}

/** Returns the status, or the error of a lost connection. */
function call(agent: Agent, path = SETTINGS): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` };
    const sent = request(server.origin + path, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
  });
}

/** Sends a call without its last byte, on a connection of its own. */
function beginCall(): () => Promise<number | string> {
  const body = '{"app": {}}';
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
  };
  const sent = request(server.origin + SETTINGS, { agent: false, method: 'PATCH', headers });
  const result = new Promise<number | string>((resolve) => {
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  sent.write(body.slice(0, -1));
  return () => {
    sent.end(body.slice(-1));
    return result;
  };
}

/** Calls on new and on kept connections until `work` is done. Returns all results except 200. */
async function failuresDuring(work: () => Promise<unknown>): Promise<{ calls: number; failures: (number | string)[] }> {
  let isDone = false;
  let calls = 0;
  const failures: (number | string)[] = [];
  const repeat = async (agent: Agent): Promise<void> => {
    while (!isDone) {
      calls += 1;
      const result = await call(agent);
      if (result !== 200) failures.push(result);
      await pause(20);
    }
  };
  const agents = [false, false, true, true].map((keepAlive) => new Agent({ keepAlive }));
  const callers = agents.map(repeat);
  await work().finally(() => (isDone = true));
  await Promise.all(callers);
  for (const agent of agents) agent.destroy();
  return { calls, failures };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  return values.reduce((sum, value) => sum + value, 0);
}

describe('a service with several processes', () => {
  it('runs the API in each process and the background work in one more, and prints the start message once', () => {
    const { processes = [] } = logLines().find(({ msg }) => msg === 'all processes started') ?? {};
    expect(processes.map(({ role }) => role)).toEqual(['api', 'api', 'worker']);
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(3);
    expect(server.output().match(/Base URL/g)).toHaveLength(1);
    expect(server.output().match(/bo_app_/g)?.length).toBeGreaterThan(0);
  });

  it('spreads connections over the processes, and adds up their metrics', async () => {
    const before = await metric('http_request_duration_seconds_count');
    const agent = new Agent({ keepAlive: false });
    for (let index = 0; index < 10; index += 1) expect(await call(agent)).toBe(200);
    await until(() => new Set(pidsOf('request')).size === 2);
    // The first reading of the metrics counts, too.
    expect(await metric('http_request_duration_seconds_count')).toBe(before + 11);
    expect(await metric('processes_ready')).toBe(3);
  });

  it('replaces every process on SIGHUP without a failed call', async () => {
    const { processes = [] } = logLines().find(({ msg }) => msg === 'all processes started') ?? {};
    const { calls, failures } = await failuresDuring(async () => {
      process.kill(server.pid, 'SIGHUP');
      await until(() => logLines().some(({ msg }) => msg === 'reloaded'));
    });
    expect(calls).toBeGreaterThan(50);
    expect(failures).toEqual([]);
    expect(new Set(pidsOf('stopping'))).toEqual(new Set(processes.map(({ pid }) => pid)));
  }, 90_000);

  it('starts a killed process again, while the other process answers', async () => {
    const ready = pidsOf('ready');
    const killed = ready.at(-1) as number;
    process.kill(killed, 'SIGKILL');
    await until(() => pidsOf('ready').length > ready.length);
    await until(async () => (await metric('processes_ready')) === 3);
    expect(await metric('process_restarts_total')).toBe(1);
    expect(await call(new Agent({ keepAlive: false }))).toBe(200);
  }, 90_000);

  it('ends all processes on SIGTERM during a reload, after their calls in progress', async () => {
    const pids = [...pidsOf('ready'), ...pidsOf('working')];
    const slowCalls = [beginCall(), beginCall()];
    await pause(500);
    const stoppingCount = pidsOf('stopping').length;
    process.kill(server.pid, 'SIGHUP');
    await until(() => pidsOf('stopping').length > stoppingCount);
    // Within half a second, a process takes a second signal for the first one.
    await pause(700);
    const stopped = server.stop();
    await pause(500);
    expect(await Promise.all(slowCalls.map((finish) => finish()))).toEqual([200, 200]);
    expect(await stopped).toBe(0);
    const isRunning = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect(pids.filter(isRunning)).toEqual([]);
  }, 90_000);
});

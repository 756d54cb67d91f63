import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';

const execFileAsync = promisify(execFile);

const DISK_FULL_MS = 1_500;
/** Smaller than a WAL segment of PostgreSQL, so the database cannot write. */
const MAX_FILE_BYTES = 1_000_000;
const FREE_DESCRIPTOR_COUNT = 10;
const CONNECTION_COUNT = 400;
const MAX_RECOVERY_MS = 2_000;

type Limit = 'fsize' | 'nofile';

/** Changes a limit of the processes; ignores processes that have ended. */
async function setLimit(pids: readonly number[], name: Limit, value: number | 'unlimited'): Promise<void> {
  await Promise.all(
    pids.map(async (pid) => {
      const owner = await stat(`/proc/${pid}`).catch(() => undefined);
      if (owner === undefined) return;
      const { uid, gid } = owner;
      try {
        await execFileAsync('prlimit', [`--pid=${pid}`, `--${name}=${value}:`], { uid, gid });
      } catch (error) {
        if (await stat(`/proc/${pid}`).catch(() => undefined)) throw error;
      }
    }),
  );
}

/** Skips the scenario when `prlimit` is not installed. */
async function withLimits(scenario: () => Promise<ScenarioResult>): Promise<ScenarioResult> {
  try {
    await execFileAsync('prlimit', ['--version']);
  } catch {
    return { note: '**not run**: there is no prlimit here' };
  }
  return scenario();
}

async function processAndChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** Prevents the database from writing for a while, as on a full disk. */
export function databaseDiskFull(rig: Rig): Promise<ScenarioResult> {
  return withLimits(async () => {
    let readyMs = 0;
    const failuresBefore = rig.caller.failures;
    let pid: number | undefined;
    await rig.underLoad(async () => {
      pid = await rig.server.pid();
      if (pid === undefined) throw new Error('There is no database server');
      await setLimit(await processAndChildren(pid), 'fsize', MAX_FILE_BYTES);
      await pause(DISK_FULL_MS);
      await setLimit(await processAndChildren(pid), 'fsize', 'unlimited');
      await rig.server.ensureStarted();
      readyMs = await rig.untilReady();
    });
    const failedCalls = rig.caller.failures - failuresBefore;
    const recovery = (await rig.server.pid()) === pid ? 'recovered by itself' : 'was restarted';
    return {
      readyMs,
      breaches: failedCalls === 0 ? ['no call failed, so the database could still write'] : [],
      note: `${failedCalls} calls failed, the database ${recovery}`,
    };
  });
}

/** Leaves a server without free file descriptors for a while. */
export function noDescriptorsLeft(rig: Rig): Promise<ScenarioResult> {
  return withLimits(async () => {
    const [server] = rig.apis;
    const breaches: string[] = [];
    let readyMs = 0;
    let refusedCount = 0;
    await rig.underLoad(async () => {
      const pid = server.pid;
      const originalLimit = await descriptorLimitOf(pid);
      const openCount = (await readdir(`/proc/${pid}/fd`)).length;
      await setLimit([pid], 'nofile', openCount + FREE_DESCRIPTOR_COUNT);
      const sockets = Array.from({ length: CONNECTION_COUNT }, () => idleConnection(server.origin));
      await pause(1_000);
      refusedCount = sockets.filter(({ closed }) => closed).length;
      for (const socket of sockets) socket.destroy();
      readyMs = await server.untilReady(MAX_RECOVERY_MS * 5);
      if (readyMs > MAX_RECOVERY_MS) breaches.push(`ready again only after ${Math.round(readyMs)} ms`);
      await setLimit([pid], 'nofile', originalLimit);
    });
    if (refusedCount === 0) breaches.push('no connection was refused, so the server still had descriptors');
    return { readyMs, breaches, note: `${refusedCount} of ${CONNECTION_COUNT} connections refused` };
  });
}

async function descriptorLimitOf(pid: number): Promise<number> {
  const { stdout } = await execFileAsync('prlimit', [`--pid=${pid}`, '--nofile', '--output=SOFT', '--noheadings']);
  return Number(stdout);
}

function idleConnection(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  return connect(Number(port), hostname).on('error', () => {});
}

/** Columns, indexes, constraints and migrations of a database, one per row. */
const SCHEMA = `
  select table_name || '.' || column_name || ' ' || data_type as part
  from information_schema.columns where table_schema = 'public'
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all select conrelid::regclass || ' ' || conname from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'migration ' || name || ', ' || count(*) from migrations group by name`;

/** The scenario kills a server after each of these numbers of completed migrations. */
const KILL_AFTER_MIGRATIONS = [1, 4, 7];

async function waitForMigrations(rig: Rig, database: string, count: number): Promise<number> {
  const client = await rig.server.connect(database);
  const end = Date.now() + 30_000;
  let completed = 0;
  while (completed < count && Date.now() < end) {
    const answer = await client
      .query<{ count: number }>('select count(*)::int as count from migrations')
      .catch(() => {});
    completed = answer?.rows[0]?.count ?? 0;
  }
  await client.end();
  return completed;
}

/** Kills a server several times while it migrates a new database, then starts two servers on it at once. */
export async function killedWhileMigrating(rig: Rig): Promise<ScenarioResult> {
  const database = 'migrated';
  const schemaPartsOf = async (databaseName: string): Promise<Set<string>> =>
    new Set((await rig.server.rows<{ part: string }>(databaseName, SCHEMA)).map(({ part }) => part));
  await rig.server.rows('postgres', `create database ${database}`);
  const servers = await rig.newServers(database);
  try {
    const killedAt: number[] = [];
    for (const count of KILL_AFTER_MIGRATIONS) {
      const starting = servers[0].start().catch(() => {});
      killedAt.push(await waitForMigrations(rig, database, count));
      await servers[0].signal('SIGKILL');
      await starting;
    }
    await Promise.all(servers.map((server) => server.start()));
    const [actualParts, expectedParts] = [await schemaPartsOf(database), await schemaPartsOf(rig.database)];
    const missingParts = [...expectedParts].filter((part) => !actualParts.has(part)).map((part) => `missing: ${part}`);
    const extraParts = [...actualParts].filter((part) => !expectedParts.has(part)).map((part) => `unexpected: ${part}`);
    return { breaches: [...missingParts, ...extraParts], note: `killed after ${killedAt.join(', ')} migrations` };
  } finally {
    await Promise.all(servers.map((server) => server.signal('SIGKILL')));
    await rig.server.rows('postgres', `drop database ${database} with (force)`);
  }
}

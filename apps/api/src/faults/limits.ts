import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';

const run = promisify(execFile);

/** How long the disk is full. */
const NO_ROOM_MS = 1_500;
/** Less than a segment of the database's log. */
const MAX_FILE_BYTES = 1_000_000;
const FREE_DESCRIPTORS = 10;
const CONNECTIONS = 400;
const MAX_RECOVERY_MS = 2_000;

type Limit = 'fsize' | 'nofile';

/** Changes a limit of running processes; skips ended ones. */
async function limit(pids: readonly number[], name: Limit, value: number | 'unlimited'): Promise<void> {
  await Promise.all(
    pids.map(async (pid) => {
      const owner = await stat(`/proc/${pid}`).catch(() => undefined);
      if (owner === undefined) return;
      const { uid, gid } = owner;
      try {
        await run('prlimit', [`--pid=${pid}`, `--${name}=${value}:`], { uid, gid });
      } catch (error) {
        if (await stat(`/proc/${pid}`).catch(() => undefined)) throw error;
      }
    }),
  );
}

/** Runs the scenario where `prlimit` exists. */
async function withLimits(scenario: () => Promise<Outcome>): Promise<Outcome> {
  try {
    await run('prlimit', ['--version']);
  } catch {
    return { note: '**not run**: there is no prlimit here' };
  }
  return scenario();
}

async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** The database cannot write, as on a full disk, and later can again. */
export function databaseWithoutRoom(rig: Rig): Promise<Outcome> {
  return withLimits(async () => {
    let readyMs = 0;
    const failures = rig.caller.failures;
    let pid: number | undefined;
    await rig.underLoad(async () => {
      pid = await rig.server.pid();
      if (pid === undefined) throw new Error('There is no database server');
      await limit(await familyOf(pid), 'fsize', MAX_FILE_BYTES);
      await pause(NO_ROOM_MS);
      await limit(await familyOf(pid), 'fsize', 'unlimited');
      await rig.server.startAgain();
      readyMs = await rig.untilReady();
    });
    const failed = rig.caller.failures - failures;
    const end = (await rig.server.pid()) === pid ? 'goes on by itself' : 'is started again';
    return {
      readyMs,
      breaches: failed === 0 ? ['no call failed, so it had room to write'] : [],
      note: `${failed} calls fail, the database ${end}`,
    };
  });
}

/** A server runs out of descriptors, then gets them back. */
export function noDescriptorsLeft(rig: Rig): Promise<Outcome> {
  return withLimits(async () => {
    const [server] = rig.apis;
    const breaches: string[] = [];
    let readyMs = 0;
    let refused = 0;
    await rig.underLoad(async () => {
      const pid = server.pid;
      const before = await descriptorsOf(pid);
      const open = (await readdir(`/proc/${pid}/fd`)).length;
      await limit([pid], 'nofile', open + FREE_DESCRIPTORS);
      const sockets = Array.from({ length: CONNECTIONS }, () => idleConnection(server.origin));
      await pause(1_000);
      refused = sockets.filter(({ closed }) => closed).length;
      for (const socket of sockets) socket.destroy();
      readyMs = await server.untilReady(MAX_RECOVERY_MS * 5);
      if (readyMs > MAX_RECOVERY_MS) breaches.push(`it is ready again only after ${Math.round(readyMs)} ms`);
      await limit([pid], 'nofile', before);
    });
    if (refused === 0) breaches.push('no connection was refused, so it had descriptors left');
    return { readyMs, breaches, note: `${refused} of ${CONNECTIONS} connections refused` };
  });
}

/** The descriptor limit of a process. */
async function descriptorsOf(pid: number): Promise<number> {
  const { stdout } = await run('prlimit', [`--pid=${pid}`, '--nofile', '--output=SOFT', '--noheadings']);
  return Number(stdout);
}

function idleConnection(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  return connect(Number(port), hostname).on('error', () => {});
}

/** Columns, indexes, constraints and migrations, to compare two databases. */
const SCHEMA = `
  select table_name || '.' || column_name || ' ' || data_type as part
  from information_schema.columns where table_schema = 'public'
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all select conrelid::regclass || ' ' || conname from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'migration ' || name || ', ' || count(*) from migrations group by name`;

/** Completed migrations at each kill. */
const KILL_AFTER = [1, 4, 7];

async function untilMigrated(rig: Rig, database: string, wanted: number): Promise<number> {
  const client = await rig.server.client(database);
  const end = Date.now() + 30_000;
  let done = 0;
  while (done < wanted && Date.now() < end) {
    const answer = await client
      .query<{ count: number }>('select count(*)::int as count from migrations')
      .catch(() => {});
    done = answer?.rows[0]?.count ?? 0;
  }
  await client.end();
  return done;
}

/** Kills servers while they migrate a new database, then starts two on it at once. */
export async function killedWhileMigrating(rig: Rig): Promise<Outcome> {
  const database = 'migrated';
  const partsOf = async (which: string): Promise<Set<string>> =>
    new Set((await rig.server.rows<{ part: string }>(which, SCHEMA)).map(({ part }) => part));
  await rig.server.rows('postgres', `create database ${database}`);
  const servers = await rig.serversOf(database);
  try {
    const killedAt: number[] = [];
    for (const wanted of KILL_AFTER) {
      const started = servers[0].start().catch(() => {});
      killedAt.push(await untilMigrated(rig, database, wanted));
      await servers[0].signal('SIGKILL');
      await started;
    }
    await Promise.all(servers.map((server) => server.start()));
    const [actual, expected] = [await partsOf(database), await partsOf(rig.database)];
    const differences = [...expected].filter((part) => !actual.has(part)).map((part) => `missing: ${part}`);
    const extra = [...actual].filter((part) => !expected.has(part)).map((part) => `unexpected: ${part}`);
    return { breaches: [...differences, ...extra], note: `killed after ${killedAt.join(', ')} migrations` };
  } finally {
    await Promise.all(servers.map((server) => server.signal('SIGKILL')));
    await rig.server.rows('postgres', `drop database ${database} with (force)`);
  }
}

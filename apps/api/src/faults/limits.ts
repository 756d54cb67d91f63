import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';

const run = promisify(execFile);

/** How long there is no room. */
const NO_ROOM_MS = 1_500;
/** In bytes: less than a segment of the database's log, so that it cannot go on in one either. */
const ROOM = 1_000_000;
const FREE_DESCRIPTORS = 10;
const CONNECTIONS = 400;
const RECOVERED_MS = 2_000;

type Limit = 'fsize' | 'nofile';

/** Changes a limit of running processes; those that have ended meanwhile have none. */
async function limit(pids: readonly number[], what: Limit, value: number | 'unlimited'): Promise<void> {
  await Promise.all(
    pids.map(async (pid) => {
      const owner = await stat(`/proc/${pid}`).catch(() => undefined);
      if (owner === undefined) return;
      const { uid, gid } = owner;
      try {
        await run('prlimit', [`--pid=${pid}`, `--${what}=${value}:`], { uid, gid });
      } catch (error) {
        if (await stat(`/proc/${pid}`).catch(() => undefined)) throw error;
      }
    }),
  );
}

/** Only Linux lets one process limit another. */
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

/** The database can write no more, neither its log nor its tables, as on a full disk; then there is room again. */
export function databaseWithoutRoom(rig: Rig): Promise<Outcome> {
  return withLimits(async () => {
    let readyMs = 0;
    const failures = rig.caller.failures;
    let pid: number | undefined;
    await rig.underLoad(async () => {
      pid = await rig.server.pid();
      if (pid === undefined) throw new Error('There is no database server');
      await limit(await familyOf(pid), 'fsize', ROOM);
      await pause(NO_ROOM_MS);
      await limit(await familyOf(pid), 'fsize', 'unlimited');
      await rig.server.startAgain();
      readyMs = await rig.untilReady();
    });
    const failed = rig.caller.failures - failures;
    const end = (await rig.server.pid()) === pid ? 'goes on by itself' : 'is started again';
    return {
      readyMs,
      breaches: failed === 0 ? ['no call has failed: it had room to write'] : [],
      note: `${failed} calls fail, the database ${end}`,
    };
  });
}

/** A server has no descriptor left, for connections, files or the database; then they are given back. */
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
      readyMs = await server.untilReady(RECOVERED_MS * 5);
      if (readyMs > RECOVERED_MS) breaches.push(`it is ready again only after ${Math.round(readyMs)} ms`);
      await limit([pid], 'nofile', before);
    });
    if (refused === 0) breaches.push('no connection was refused: it had descriptors left');
    return { readyMs, breaches, note: `${refused} of ${CONNECTIONS} connections refused` };
  });
}

/** How many descriptors a process may have. */
async function descriptorsOf(pid: number): Promise<number> {
  const { stdout } = await run('prlimit', [`--pid=${pid}`, '--nofile', '--output=SOFT', '--noheadings']);
  return Number(stdout);
}

function idleConnection(origin: string): Socket {
  const { hostname, port } = new URL(origin);
  return connect(Number(port), hostname).on('error', () => {});
}

/** What a database has come to be, to be held against another one. */
const SCHEMA = `
  select table_name || '.' || column_name || ' ' || data_type as part
  from information_schema.columns where table_schema = 'public'
  union all select indexdef from pg_indexes where schemaname = 'public'
  union all select conrelid::regclass || ' ' || conname from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'migration ' || name || ', ' || count(*) from migrations group by name`;

/** So many migrations are done when a server is killed in the next one. */
const KILLED_AT = [1, 4, 7];

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

/** Servers are killed while they bring a new database up to date; then two start on it at once. */
export async function killedWhileMigrating(rig: Rig): Promise<Outcome> {
  const database = 'migrated';
  const partsOf = async (which: string): Promise<Set<string>> =>
    new Set((await rig.server.rows<{ part: string }>(which, SCHEMA)).map(({ part }) => part));
  await rig.server.rows('postgres', `create database ${database}`);
  const servers = await rig.serversOf(database);
  try {
    const killedAt: number[] = [];
    for (const wanted of KILLED_AT) {
      const started = servers[0].start().catch(() => {});
      killedAt.push(await untilMigrated(rig, database, wanted));
      await servers[0].signal('SIGKILL');
      await started;
    }
    await Promise.all(servers.map((server) => server.start()));
    const [made, wanted] = [await partsOf(database), await partsOf(rig.database)];
    const differences = [...wanted].filter((part) => !made.has(part)).map((part) => `missing: ${part}`);
    const extra = [...made].filter((part) => !wanted.has(part)).map((part) => `too much: ${part}`);
    return { breaches: [...differences, ...extra], note: `killed after ${killedAt.join(', ')} migrations` };
  } finally {
    await Promise.all(servers.map((server) => server.signal('SIGKILL')));
    await rig.server.rows('postgres', `drop database ${database} with (force)`);
  }
}

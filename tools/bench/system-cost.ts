import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** CPU milliseconds of a server process and of the database. */
export interface Cost {
  readonly processMs: number;
  readonly databaseMs: number;
}

const MS_PER_TICK = 10;

/** Returns a function that reads the costs of a process so far. Reads `/proc`, so it needs Linux and a local database. */
export async function costMeter(databaseUrl: string): Promise<(pid: number) => Cost> {
  const postmaster = await postmasterOf(databaseUrl);
  return (pid) => ({
    processMs: cpuMsOf(pid).own,
    databaseMs: databaseMsOf(postmaster),
  });
}

export function costBetween(start: Cost, end: Cost, operations: number): Cost {
  const perOperation = (key: keyof Cost): number => (end[key] - start[key]) / operations;
  return {
    processMs: perOperation('processMs'),
    databaseMs: perOperation('databaseMs'),
  };
}

async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const status = readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8');
    if (!/^Name:\s+postgres$/m.test(status)) throw new Error('The database runs on another machine');
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]);
  } finally {
    await client.end();
  }
}

/** The server's ended processes count too: their times are in the `ended` time of the postmaster. */
function databaseMsOf(postmaster: number): number {
  const server = cpuMsOf(postmaster);
  let ms = server.own + server.ended;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const times = cpuMsOf(pid);
    if (times.parent === postmaster) ms += times.own;
  }
  return ms;
}

function cpuMsOf(pid: number): { readonly parent: number; readonly own: number; readonly ended: number } {
  const fields = statOf(pid).split(' ').map(Number);
  const [parent = 0] = fields.slice(1);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
  return { parent, own: (user + system) * MS_PER_TICK, ended: (endedUser + endedSystem) * MS_PER_TICK };
}

/** Returns the fields after the name, which may contain spaces. A process that has just ended has none. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
  } catch {
    return '';
  }
}

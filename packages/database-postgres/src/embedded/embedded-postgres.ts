import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasDatabase, type Home, prepareHome } from './database-home.js';
import { packageFolder } from './postgres-binaries.js';
import { ensureServer, USER } from './postgres-server.js';
import { withLock, identify, isLiving } from './process-lock.js';
import { stopServer } from './running-server.js';

export interface EmbeddedPostgres {
  /** The folder of the server's Unix socket, which `pg` accepts as host. */
  host: string;
  user: string;
  database: string;
  directory: string;
  /** For the operator when the database is not below `dataDir`. */
  notice: string | undefined;
  /** Stops the server unless another process uses it. */
  stop(): Promise<void>;
}

/** Starts or adopts the only server of `dataDir`. Safe when several processes start at once. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  fallbackDir?: string;
}): Promise<EmbeddedPostgres> {
  // Throws on platforms without a package before creating anything.
  packageFolder();
  const home = await prepareHome(resolve(options.dataDir), fallbackOf(options));
  const { host, lease } = await withLock(lockOf(home), async () => {
    const socketDirectory = await ensureServer(home);
    return { host: socketDirectory, lease: await takeLease(home) };
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= release(home, lease));
  return { host, user: USER, database: 'postgres', directory: home.directory, notice: home.notice, stop };
}

/** Whether a database of `dataDir` exists; creates nothing. */
export function hasEmbeddedDatabase(options: { dataDir: string; fallbackDir?: string }): Promise<boolean> {
  return hasDatabase(resolve(options.dataDir), fallbackOf(options));
}

function fallbackOf({ fallbackDir = '/var/lib/retail-back-office' }: { fallbackDir?: string }): string {
  return resolve(fallbackDir);
}

async function takeLease(home: Home): Promise<string> {
  await mkdir(leasesOf(home), { recursive: true });
  const lease = join(leasesOf(home), `${await identify(process.pid)}-${randomUUID()}`);
  await writeFile(lease, '');
  return lease;
}

async function release(home: Home, lease: string): Promise<void> {
  await withLock(lockOf(home), async () => {
    await rm(lease, { force: true });
    if (!(await isLeased(home))) await stopServer(home);
  });
}

async function isLeased(home: Home): Promise<boolean> {
  const leases = await readdir(leasesOf(home));
  const living = await Promise.all(leases.map(isLiving));
  const dead = leases.filter((_, index) => !living[index]);
  await Promise.all(dead.map((lease) => rm(join(leasesOf(home), lease), { force: true })));
  return living.includes(true);
}

function lockOf(home: Home): string {
  return join(home.directory, 'lock');
}

function leasesOf(home: Home): string {
  return join(home.directory, 'leases');
}

import { PRIVATE_FILE, PRIVATE_FOLDER } from '@back-office/storage-disk';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasDatabase, type Home, prepareHome } from './database-home.js';
import { packageFolder } from './postgres-binaries.js';
import { ensureServer, USER } from './postgres-server.js';
import { withLock, identify, isAlive } from './process-lock.js';
import { stopServer } from './running-server.js';

export interface EmbeddedPostgres {
  /** Folder of the server's Unix socket, in the form that `pg` accepts as host. */
  host: string;
  user: string;
  database: string;
  directory: string;
  notice: string | undefined;
  stop(): Promise<void>;
}

/** Starts the server of `dataDir`, or uses the running one. Several processes may call this at the same time. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  fallbackDir?: string;
}): Promise<EmbeddedPostgres> {
  packageFolder();
  const home = await prepareHome(resolve(options.dataDir), fallbackFolder(options));
  const { host, lease } = await withLock(lockFolderOf(home), async () => {
    const socketDirectory = await ensureServer(home);
    return { host: socketDirectory, lease: await takeLease(home) };
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= releaseLease(home, lease));
  return { host, user: USER, database: 'postgres', directory: home.directory, notice: home.notice, stop };
}

export function hasEmbeddedDatabase(options: { dataDir: string; fallbackDir?: string }): Promise<boolean> {
  return hasDatabase(resolve(options.dataDir), fallbackFolder(options));
}

function fallbackFolder({ fallbackDir = '/var/lib/retail-back-office' }: { fallbackDir?: string }): string {
  return resolve(fallbackDir);
}

async function takeLease(home: Home): Promise<string> {
  await mkdir(leaseFolderOf(home), { recursive: true, mode: PRIVATE_FOLDER });
  const lease = join(leaseFolderOf(home), `${await identify(process.pid)}-${randomUUID()}`);
  await writeFile(lease, '', { mode: PRIVATE_FILE });
  return lease;
}

async function releaseLease(home: Home, lease: string): Promise<void> {
  await withLock(lockFolderOf(home), async () => {
    await rm(lease, { force: true });
    if (!(await hasLivingLease(home))) await stopServer(home);
  });
}

async function hasLivingLease(home: Home): Promise<boolean> {
  const leases = await readdir(leaseFolderOf(home));
  const areLiving = await Promise.all(leases.map(isAlive));
  const staleLeases = leases.filter((_, index) => !areLiving[index]);
  await Promise.all(staleLeases.map((lease) => rm(join(leaseFolderOf(home), lease), { force: true })));
  return areLiving.includes(true);
}

function lockFolderOf(home: Home): string {
  return join(home.directory, 'lock');
}

function leaseFolderOf(home: Home): string {
  return join(home.directory, 'leases');
}

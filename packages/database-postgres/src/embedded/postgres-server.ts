import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childOptions, dataFolderOf, type Home, prepareSocketDirectory, run } from './database-home.js';
import { binariesName, findBinaries, packageFolder } from './postgres-binaries.js';
import { clearStalePidFiles, findServer } from './running-server.js';

export const USER = 'app';

// Recovery after a crash may take minutes.
const START_TIMEOUT_MS = 300_000;
// A server that has lost its postmaster.pid ends within a minute. Until then, it keeps its lock.
const RETRY_TIMEOUT_MS = 90_000;

const LOCK_FAILURE = /lock file "[^"]+" already exists|pre-existing shared memory block/;

/** Starts the server unless it runs, and returns the folder of its socket. The caller must hold the lock. */
export async function ensureServer(home: Home): Promise<string> {
  const deadline = Date.now() + RETRY_TIMEOUT_MS;
  for (;;) {
    const runningServer = await findServer(home);
    if (runningServer) return runningServer.socketDirectory;
    const failure = await startServer(home);
    if (failure === undefined) continue;
    if (!LOCK_FAILURE.test(failure) || Date.now() > deadline) throw new Error(startFailure(home, failure));
    await pause(250);
  }
}

async function startServer(home: Home): Promise<string | undefined> {
  const folder = packageFolder();
  await clearLeftovers(home, await binariesName(folder));
  const binaries = await findBinaries(home, folder);
  if (!(await stat(dataFolderOf(home)).catch(() => undefined))) await initializeDatabase(home, binaries);
  const socketDirectory = await prepareSocketDirectory(home);
  await clearStalePidFiles(home, socketDirectory);
  return launchServer(home, binaries, socketDirectory);
}

async function clearLeftovers(home: Home, currentBinaries: string): Promise<void> {
  const names = await readdir(home.directory);
  const outdatedNames = names.filter((name) => /^(initialising|binaries)-/.test(name) && name !== currentBinaries);
  const options = { recursive: true, force: true, maxRetries: 10 };
  await Promise.all(outdatedNames.map((name) => rm(join(home.directory, name), options)));
}

async function initializeDatabase(home: Home, binaries: string): Promise<void> {
  const unfinishedFolder = join(home.directory, `initialising-${randomUUID()}`);
  await mkdir(unfinishedFolder, { mode: 0o700 });
  if (home.owner) await chown(unfinishedFolder, home.owner.uid, home.owner.gid);
  const accessOptions = ['-U', USER, '--auth-local=trust', '--auth-host=reject'];
  const encodingOptions = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const parameters = [
    '-D',
    unfinishedFolder,
    ...accessOptions,
    ...encodingOptions,
    '--data-checksums',
    '--no-instructions',
  ];
  const { succeeded, output } = await run(join(binaries, 'bin', 'initdb'), parameters, home.owner);
  if (!succeeded) throw new Error(`The database in ${home.directory} could not be made: ${errorLine(output)}`);
  await rename(unfinishedFolder, dataFolderOf(home));
  await syncFolder(home.directory);
}

/** Flushes the rename to disk. If a power cut undid it, the next start would delete the database as unfinished. */
async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns `undefined` when the server accepts connections, or the log of the server when it has ended. */
async function launchServer(home: Home, binaries: string, socketDirectory: string): Promise<string | undefined> {
  const log = await open(logPathOf(home), 'a', 0o600);
  try {
    const { size } = await log.stat();
    const endOfServer = spawnServer(home, binaries, socketDirectory, log);
    const deadline = Date.now() + START_TIMEOUT_MS;
    let failure: string | undefined;
    while (failure === undefined) {
      if (await findServer(home)) return undefined;
      failure = Date.now() > deadline ? 'it took too long' : await Promise.race([endOfServer, pause(10, undefined)]);
    }
    const newLogText = (await readFile(logPathOf(home))).subarray(size).toString();
    return newLogText.trim() || failure;
  } finally {
    await log.close();
  }
}

async function spawnServer(home: Home, binaries: string, socketDirectory: string, log: FileHandle): Promise<string> {
  const server = spawn(join(binaries, 'bin', 'postgres'), serverParameters(home, socketDirectory), {
    ...childOptions(home.owner),
    // The server must not receive Ctrl-C, because this process stops it after the last request.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  server.unref();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
}

function serverParameters(home: Home, socketDirectory: string): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '128MB',
    fsync: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Does not log errors of statements: clients receive them, and they would fill the disk.
    log_min_messages: 'log',
  };
  return ['-D', dataFolderOf(home), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function logPathOf(home: Home): string {
  return join(home.directory, 'postgres.log');
}

function startFailure(home: Home, failure: string): string {
  return `The embedded PostgreSQL did not start: ${errorLine(failure)} (log: ${logPathOf(home)})`;
}

function errorLine(output: string): string {
  const lines = output.trim().split('\n');
  return lines.find((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? '';
}

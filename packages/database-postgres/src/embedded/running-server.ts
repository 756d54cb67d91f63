import { readFile, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataFolderOf, type Home, run, SOCKET_NAME } from './database-home.js';
import { identify, isAlive } from './process-lock.js';

const STOP_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 5_000;

// Before authentication, a server answers this SSL request with one byte.
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface RunningServer {
  pid: number;
  socketDirectory: string;
}

/**
 * Returns the server if its pid file says `ready` and the server answers. The pid alone is no proof, because another
 * process or a zombie may have it.
 */
export async function findServer(home: Home): Promise<RunningServer | undefined> {
  const [pid, data, , , socketDirectory, , , status] = await readPidFile(home);
  // If the folder of a running database was copied, the pid file of the copy names the socket of the original.
  if (data !== dataFolderOf(home) || status?.trim() !== 'ready' || !socketDirectory) return undefined;
  return (await doesAnswer(join(socketDirectory, SOCKET_NAME))) ? { pid: Number(pid), socketDirectory } : undefined;
}

/** The caller must hold the lock. */
export async function stopServer(home: Home): Promise<void> {
  const server = await findServer(home);
  if (!server || !(await isServerOf(server.pid, home))) return;
  const identity = await identify(server.pid);
  process.kill(server.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await isAlive(identity)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${server.pid}) does not stop.`);
    await pause(10);
  }
  await rmdir(server.socketDirectory).catch(() => undefined);
}

/**
 * Removes the pid files of a dead server. Otherwise PostgreSQL mistakes a process with the same pid and user for the
 * server.
 */
export async function clearStalePidFiles(home: Home, socketDirectory: string): Promise<void> {
  const [pid] = await readPidFile(home);
  if (pid && (await isServerOf(Number(pid), home))) return;
  await rm(pidFileOf(home), { force: true });
  await rm(join(socketDirectory, `${SOCKET_NAME}.lock`), { force: true });
}

async function readPidFile(home: Home): Promise<string[]> {
  return (await readFile(pidFileOf(home), 'utf8').catch(() => '')).split('\n');
}

function pidFileOf(home: Home): string {
  return join(dataFolderOf(home), 'postmaster.pid');
}

/** Waits for an answer, because the socket of a killed server may still accept a connection. */
async function doesAnswer(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const finish = (hasAnswered: boolean): void => {
      connection.destroy();
      resolve(hasAnswered);
    };
    connection.setTimeout(ANSWER_TIMEOUT_MS, () => finish(false));
    connection.once('error', () => finish(false));
    connection.once('end', () => finish(false));
    connection.once('data', () => finish(true));
    connection.once('connect', () => connection.write(SSL_REQUEST));
  });
}

async function isServerOf(pid: number, home: Home): Promise<boolean> {
  if (process.platform !== 'linux') {
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).output.includes(dataFolderOf(home));
  }
  const parameters = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return parameters.split('\0').includes(dataFolderOf(home));
}

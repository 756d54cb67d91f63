import { readFile, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataOf, type Home, run, SOCKET } from './database-home.js';
import { identify, isLiving } from './process-lock.js';

const STOP_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 5_000;

/** A server answers this request with one byte before authentication. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface RunningServer {
  pid: number;
  socketDirectory: string;
}

/** The server, if its pid file says ready and it answers. A pid alone may be reused or a zombie. */
export async function findServer(home: Home): Promise<RunningServer | undefined> {
  const [pid, data, , , socketDirectory, , , status] = await readPidFile(home);
  // A copy of a running database's folder names the original's socket.
  if (data !== dataOf(home) || status?.trim() !== 'ready' || !socketDirectory) return undefined;
  return (await answers(join(socketDirectory, SOCKET))) ? { pid: Number(pid), socketDirectory } : undefined;
}

/** Shuts down fast: open transactions are rolled back. The caller holds the lock. */
export async function stopServer(home: Home): Promise<void> {
  const server = await findServer(home);
  if (!server || !(await runsServer(server.pid, home))) return;
  const identity = await identify(server.pid);
  process.kill(server.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await isLiving(identity)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${server.pid}) does not stop.`);
    await pause(10);
  }
  await rmdir(server.socketDirectory).catch(() => undefined);
}

/** Removes stale pid files: PostgreSQL would take any process of its user with that pid for the server. */
export async function clearStalePidFiles(home: Home, socketDirectory: string): Promise<void> {
  const [pid] = await readPidFile(home);
  if (pid && (await runsServer(Number(pid), home))) return;
  await rm(pidFileOf(home), { force: true });
  await rm(join(socketDirectory, `${SOCKET}.lock`), { force: true });
}

async function readPidFile(home: Home): Promise<string[]> {
  return (await readFile(pidFileOf(home), 'utf8').catch(() => '')).split('\n');
}

function pidFileOf(home: Home): string {
  return join(dataOf(home), 'postmaster.pid');
}

/** Whether a server answers: a killed one's socket may still accept connections. */
async function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const finish = (answered: boolean): void => {
      connection.destroy();
      resolve(answered);
    };
    connection.setTimeout(ANSWER_TIMEOUT_MS, () => finish(false));
    connection.once('error', () => finish(false));
    connection.once('end', () => finish(false));
    connection.once('data', () => finish(true));
    connection.once('connect', () => connection.write(SSL_REQUEST));
  });
}

async function runsServer(pid: number, home: Home): Promise<boolean> {
  if (process.platform !== 'linux') {
    return (await run('ps', ['-o', 'command=', '-p', String(pid)])).output.includes(dataOf(home));
  }
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return words.split('\0').includes(dataOf(home));
}

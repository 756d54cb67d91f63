import { readFile, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dataOf, type Home, run, SOCKET } from './database-home.js';
import { identify, isLiving } from './process-lock.js';

const STOP_PATIENCE_MS = 60_000;
const ANSWER_PATIENCE_MS = 5_000;

/** The one request that a server answers, with one byte, before it knows who asks. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface RunningServer {
  pid: number;
  socketDirectory: string;
}

/** A pid says little, it may be recycled or a zombie's; a server is what says it is ready and answers. */
export async function findServer(home: Home): Promise<RunningServer | undefined> {
  const [pid, data, , , socketDirectory, , , status] = await readPidFile(home);
  // A copy of a live database's folder still names the original's socket.
  if (data !== dataOf(home) || status?.trim() !== 'ready' || !socketDirectory) return undefined;
  return (await answers(join(socketDirectory, SOCKET))) ? { pid: Number(pid), socketDirectory } : undefined;
}

/** Fast shutdown: open transactions are rolled back. The caller holds the lock. */
export async function stopServer(home: Home): Promise<void> {
  const server = await findServer(home);
  if (!server || !(await runsServer(server.pid, home))) return;
  const identity = await identify(server.pid);
  process.kill(server.pid, 'SIGINT');
  const giveUp = Date.now() + STOP_PATIENCE_MS;
  while (await isLiving(identity)) {
    if (Date.now() > giveUp) throw new Error(`PostgreSQL (process ${server.pid}) does not stop.`);
    await pause(10);
  }
  await rmdir(server.socketDirectory).catch(() => undefined);
}

/** PostgreSQL itself would believe any living process of its user to be the server that these files name. */
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

/** A killed server's socket may still take a connection, but nobody answers on it. */
async function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const finish = (answered: boolean): void => {
      connection.destroy();
      resolve(answered);
    };
    connection.setTimeout(ANSWER_PATIENCE_MS, () => finish(false));
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

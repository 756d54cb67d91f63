import { PRIVATE_FOLDER } from '@back-office/storage-disk';
import { mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from './database-home.js';

const FREE = 'free';
const TIMEOUT_MS = 300_000;

/** Returns the pid and, if /proc exists, the start time, because the system reuses pids. */
export async function identify(pid: number): Promise<string> {
  return `${pid}-${(await startTime(pid)) ?? 'unknown'}`;
}

export async function isAlive(identity: string): Promise<boolean> {
  const [pid, startedAt] = identity.split('-');
  return startedAt === 'unknown' ? acceptsSignals(Number(pid)) : (await startTime(Number(pid))) === startedAt;
}

/**
 * Runs `work` while holding the lock of the folder. The lock also excludes concurrent work of the same process. A
 * killed holder does not block others. A turn is a numbered symbolic link that is created atomically and names its
 * holder. The next number is free when the holder of the highest number has released it or died. The highest link is
 * never deleted, so two processes that see the same dead holder cannot delete each other's turn.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const turn = await takeTurn(folder);
  try {
    return await work();
  } finally {
    await symlink(FREE, join(folder, String(turn + 1)));
    await rm(join(folder, String(turn)), { force: true });
  }
}

async function takeTurn(folder: string): Promise<number> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const lastTurn = Math.max(0, ...(await listTurns(folder)));
    if ((await hasEnded(folder, lastTurn)) && (await claimTurn(folder, lastTurn + 1))) return lastTurn + 1;
    await pause(20);
  }
  throw new Error(`Another process has held ${folder} for ${TIMEOUT_MS / 60_000} minutes.`);
}

async function listTurns(folder: string): Promise<number[]> {
  return (await readdir(folder)).map(Number);
}

async function hasEnded(folder: string, turn: number): Promise<boolean> {
  if (turn === 0) return true;
  try {
    const holder = await readlink(join(folder, String(turn)));
    return holder === FREE || !(await isAlive(holder));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Exported because a test cannot provoke the race through the public functions. */
export async function claimTurn(folder: string, turn: number): Promise<boolean> {
  try {
    await symlink(await identify(process.pid), join(folder, String(turn)));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  // A slow process may claim a number that was used and deleted. So a claim is valid only if its number is the highest.
  const turns = await listTurns(folder);
  const highestTurn = Math.max(...turns);
  const earlierTurns = turns.filter((number) => number < highestTurn);
  await Promise.all(earlierTurns.map((number) => rm(join(folder, String(number)), { force: true })));
  return highestTurn === turn;
}

async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field, the command, is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isDead = fields[0] === 'Z' || fields[0] === 'X';
  return isDead ? undefined : fields[19];
}

function acceptsSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

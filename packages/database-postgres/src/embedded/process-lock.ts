import { mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from './database-home.js';

const FREE = 'free';
const TIMEOUT_MS = 300_000;

/** Identity of a process: its pid and, where /proc exists, its start time, since pids are reused. */
export async function identify(pid: number): Promise<string> {
  return `${pid}-${(await startTime(pid)) ?? 'unknown'}`;
}

export async function isLiving(identity: string): Promise<boolean> {
  const [pid, started] = identity.split('-');
  return started === 'unknown' ? takesSignals(Number(pid)) : (await startTime(Number(pid))) === started;
}

/**
 * Runs `work` under the folder's lock, also within one process. A turn is a numbered symbolic link, created atomically,
 * that names its holder. The next number is free when the highest holder has released it or died. The highest link is
 * never deleted, so processes that saw the same dead holder cannot delete each other's turn. Safe against kill -9.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
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
    const last = Math.max(0, ...(await listTurns(folder)));
    if ((await isOver(folder, last)) && (await claim(folder, last + 1))) return last + 1;
    await pause(20);
  }
  throw new Error(`Another process has held ${folder} for ${TIMEOUT_MS / 60_000} minutes.`);
}

async function listTurns(folder: string): Promise<number[]> {
  return (await readdir(folder)).map(Number);
}

async function isOver(folder: string, turn: number): Promise<boolean> {
  if (turn === 0) return true;
  try {
    const holder = await readlink(join(folder, String(turn)));
    return holder === FREE || !(await isLiving(holder));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Exported for its test, since the race cannot be provoked from outside. */
export async function claim(folder: string, turn: number): Promise<boolean> {
  try {
    await symlink(await identify(process.pid), join(folder, String(turn)));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  // A slow process may claim a number that was used and deleted: only the highest counts.
  const turns = await listTurns(folder);
  const highest = Math.max(...turns);
  const past = turns.filter((other) => other < highest);
  await Promise.all(past.map((other) => rm(join(folder, String(other)), { force: true })));
  return highest === turn;
}

async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command, the second field, is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const dead = fields[0] === 'Z' || fields[0] === 'X';
  return dead ? undefined : fields[19];
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

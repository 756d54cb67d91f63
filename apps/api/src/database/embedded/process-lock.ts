import { mkdir, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from './database-home.js';

const FREE = 'free';
const PATIENCE_MS = 300_000;

/** Names a process so that a later one with the same pid is not taken for it; without /proc the pid alone has to do. */
export async function identify(pid: number): Promise<string> {
  return `${pid}-${(await startTime(pid)) ?? 'unknown'}`;
}

export async function isLiving(identity: string): Promise<boolean> {
  const [pid, started] = identity.split('-');
  return started === 'unknown' ? takesSignals(Number(pid)) : (await startTime(Number(pid))) === started;
}

/**
 * Runs `work` while no other process, and nobody else in this one, runs theirs on the same folder.
 * A turn is a numbered symbolic link (made at once with its content) that names its holder. The next number may be
 * taken when the highest one is free or its holder is dead; the highest is never deleted, so that two processes which
 * both saw a dead holder cannot delete each other's turn. Safe against kill -9 at every step.
 */
export async function exclusively<T>(folder: string, work: () => Promise<T>): Promise<T> {
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
  const giveUp = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUp) {
    const last = Math.max(0, ...(await listTurns(folder)));
    if ((await isOver(folder, last)) && (await claim(folder, last + 1))) return last + 1;
    await pause(20);
  }
  throw new Error(`Another process has held ${folder} for ${PATIENCE_MS / 60_000} minutes.`);
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

/** Exported for its test: the race that it settles cannot be arranged from outside. */
export async function claim(folder: string, turn: number): Promise<boolean> {
  try {
    await symlink(await identify(process.pid), join(folder, String(turn)));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  // Whoever was slow may have taken a number that was used and deleted long ago: only the highest counts.
  const turns = await listTurns(folder);
  const highest = Math.max(...turns);
  const past = turns.filter((other) => other < highest);
  await Promise.all(past.map((other) => rm(join(folder, String(other)), { force: true })));
  return highest === turn;
}

async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command, second field, is in brackets and may itself hold spaces and brackets.
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

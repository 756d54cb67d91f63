import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { claimTurn, withLock, identify, isAlive } from './process-lock.js';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'process-lock-'))));
afterEach(async () => rm(folder, { recursive: true }));

async function identifyDeadProcess(): Promise<string> {
  const child = spawn('sleep', ['60']);
  const identity = await identify(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

describe('concurrent calls that need one process lock', () => {
  it('run one after the other', async () => {
    let inside = 0;
    let maxInside = 0;
    const work = async (): Promise<void> => {
      maxInside = Math.max(maxInside, ++inside);
      await pause(1);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 12 }, async () => withLock(folder, work)));
    expect(maxInside).toBe(1);
  });

  it('run one after the other, even after a holder of the lock has died', async () => {
    await symlink(await identifyDeadProcess(), join(folder, '7'));
    const order: string[] = [];
    const work = async (): Promise<void> => {
      order.push('in');
      await pause(1);
      order.push('out');
    };
    await Promise.all(Array.from({ length: 6 }, async () => withLock(folder, work)));
    expect(order.join(' ')).toBe(Array.from({ length: 6 }, () => 'in out').join(' '));
    expect(await readdir(folder)).toHaveLength(1);
  });
});

describe('the lock of a living process', () => {
  it('blocks other processes', async () => {
    const holder = spawn('sleep', ['60']);
    await symlink(await identify(holder.pid ?? 0), join(folder, '1'));
    let hasEntered = false;
    const waitingCall = withLock(folder, async () => (hasEntered = await Promise.resolve(true)));
    await pause(100);
    expect(hasEntered).toBe(false);
    holder.kill('SIGKILL');
    await waitingCall;
    expect(hasEntered).toBe(true);
  });
});

describe('a turn for the lock that is claimed too late', () => {
  it('is not granted', async () => {
    await symlink(await identify(process.pid), join(folder, '9'));
    expect(await claimTurn(folder, 8)).toBe(false);
    expect(await readdir(folder)).toEqual(['9']);
  });
});

describe('failing work under a process lock', () => {
  it('releases the lock and leaves one link', async () => {
    const work = async (): Promise<void> => {
      throw new Error('no');
    };
    await expect(withLock(folder, work)).rejects.toThrow('no');
    const [lastLink, ...otherLinks] = await readdir(folder);
    expect([await readlink(join(folder, lastLink ?? '')), otherLinks]).toEqual(['free', []]);
  });
});

describe('isAlive of a process', () => {
  it('is true until the process ends', async () => {
    expect(await isAlive(await identify(process.pid))).toBe(true);
    expect(await isAlive(await identifyDeadProcess())).toBe(false);
  });

  (process.platform === 'linux' ? it : it.skip)('is false for an earlier process with the same pid', async () => {
    expect(await isAlive(`${process.pid}-1`)).toBe(false);
  });

  (process.platform === 'linux' ? it : it.skip)('is false for a zombie', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60']);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    const identity = await identify(Number(pid));
    expect(await isAlive(identity)).toBe(true);
    const deadline = Date.now() + 10_000;
    while ((await isAlive(identity)) && Date.now() < deadline) await pause(50);
    expect(await isAlive(identity)).toBe(false);
    parent.kill('SIGKILL');
  });

  it('compares only the pid when the start time is unknown', async () => {
    expect(await isAlive(`${process.pid}-unknown`)).toBe(true);
    expect(await isAlive(`${(await identifyDeadProcess()).split('-')[0]}-unknown`)).toBe(false);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { claim, exclusively, identify, isLiving } from './process-lock.js';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'process-lock-'))));
afterEach(async () => rm(folder, { recursive: true }));

async function deadProcess(): Promise<string> {
  const child = spawn('sleep', ['60']);
  const identity = await identify(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

describe('many that want the lock at once', () => {
  it('have it one after the other', async () => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await pause(1);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 12 }, async () => exclusively(folder, work)));
    expect(most).toBe(1);
  });

  it('have it one after the other although a dead process held it', async () => {
    await symlink(await deadProcess(), join(folder, '7'));
    const order: string[] = [];
    const work = async (): Promise<void> => {
      order.push('in');
      await pause(1);
      order.push('out');
    };
    await Promise.all(Array.from({ length: 6 }, async () => exclusively(folder, work)));
    expect(order.join(' ')).toBe(Array.from({ length: 6 }, () => 'in out').join(' '));
    expect(await readdir(folder)).toHaveLength(1);
  });
});

describe('a lock that a living process holds', () => {
  it('is waited for', async () => {
    const holder = spawn('sleep', ['60']);
    await symlink(await identify(holder.pid ?? 0), join(folder, '1'));
    let entered = false;
    const waiting = exclusively(folder, async () => (entered = await Promise.resolve(true)));
    await pause(100);
    expect(entered).toBe(false);
    holder.kill('SIGKILL');
    await waiting;
    expect(entered).toBe(true);
  });
});

describe('a turn taken by one so slow that others have had theirs', () => {
  it('does not count', async () => {
    await symlink(await identify(process.pid), join(folder, '9'));
    expect(await claim(folder, 8)).toBe(false);
    expect(await readdir(folder)).toEqual(['9']);
  });
});

describe('work that fails', () => {
  it('leaves the lock free and no more than one link behind', async () => {
    const work = async (): Promise<void> => {
      throw new Error('no');
    };
    await expect(exclusively(folder, work)).rejects.toThrow('no');
    const [only, ...others] = await readdir(folder);
    expect([await readlink(join(folder, only ?? '')), others]).toEqual(['free', []]);
  });
});

describe('a process', () => {
  it('lives until it has ended', async () => {
    expect(await isLiving(await identify(process.pid))).toBe(true);
    expect(await isLiving(await deadProcess())).toBe(false);
  });

  (process.platform === 'linux' ? it : it.skip)('is not mistaken for an earlier one with its pid', async () => {
    expect(await isLiving(`${process.pid}-1`)).toBe(false);
  });

  (process.platform === 'linux' ? it : it.skip)('is dead as a zombie', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60']);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    const identity = await identify(Number(pid));
    expect(await isLiving(identity)).toBe(true);
    await pause(250);
    expect(await isLiving(identity)).toBe(false);
    parent.kill('SIGKILL');
  });

  it('is known by its pid alone where nothing tells when it started', async () => {
    expect(await isLiving(`${process.pid}-unknown`)).toBe(true);
    expect(await isLiving(`${(await deadProcess()).split('-')[0]}-unknown`)).toBe(false);
  });
});

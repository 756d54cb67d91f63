import { TaskCrashed } from './limited-process.js';
import { ProcessPool } from './process-pool.js';

interface Task {
  readonly keptMegabytes?: number;
  readonly crashes?: boolean;
  readonly waits?: boolean;
}

const ENTRY = new URL('../../testing/child.mjs', import.meta.url);
const LIMITS = { maxCpuMs: 10_000, maxElapsedMs: 20_000 };
/** Only Linux reports the memory of a process. */
const itOnLinux = process.platform === 'linux' ? it : it.skip;

let pool: ProcessPool<Task, { readonly pid: number }>;
beforeEach(() => {
  pool = new ProcessPool({ entry: ENTRY, maxMemoryMegabytes: 300, idleMs: 10_000 });
});
afterEach(() => pool.close());

const run = async (task: Task = {}): Promise<number> => (await pool.run(task, LIMITS)).pid;

describe('ProcessPool', () => {
  it('uses the same process for several tasks', async () => {
    expect(await run()).toBe(await run());
  });

  itOnLinux('replaces a process that keeps much memory', async () => {
    const first = await run({ keptMegabytes: 150 });
    expect(await run()).not.toBe(first);
  });

  it('replaces a process that crashes', async () => {
    const first = await run();
    await expect(run({ crashes: true })).rejects.toBeInstanceOf(TaskCrashed);
    expect(await run()).not.toBe(first);
  });

  it('does not blame the task when something else kills its process', async () => {
    const first = await run();
    const task = run({ waits: true });
    process.kill(first, 'SIGKILL');
    await expect(task).rejects.not.toBeInstanceOf(TaskCrashed);
    expect(await run()).not.toBe(first);
  });

  it('replaces a process that was killed while it was idle', async () => {
    const first = await run();
    process.kill(first, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await run()).not.toBe(first);
  });

  it('ends a task after its maximum elapsed time', async () => {
    await expect(pool.run({ waits: true }, { ...LIMITS, maxElapsedMs: 300 })).rejects.toThrow('took too long');
  });
});

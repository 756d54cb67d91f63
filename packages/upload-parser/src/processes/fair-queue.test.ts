import { FairQueue } from './fair-queue.js';

const [APP, OTHER_APP, THIRD_APP] = [1, 2, 3];

/** Each task runs until `finish` is called with its name. */
function makeTasks(queue: FairQueue) {
  const started: string[] = [];
  const finishByName = new Map<string, () => void>();
  return {
    started,
    add: (owner: number, name: string): Promise<string> =>
      queue.run(owner, async () => {
        started.push(name);
        await new Promise<void>((resolve) => finishByName.set(name, resolve));
        return name;
      }),
    finish: async (name: string): Promise<void> => {
      finishByName.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('FairQueue', () => {
  it('leaves half of the processes free for other owners', async () => {
    const tasks = makeTasks(new FairQueue(2, 1));
    for (const name of ['a1', 'a2', 'a3']) void tasks.add(APP, name);
    void tasks.add(OTHER_APP, 'b1');
    await nextTurn();
    expect(tasks.started).toEqual(['a1', 'b1']);
  });

  it('lets waiting owners take turns', async () => {
    const tasks = makeTasks(new FairQueue(1, 1));
    for (const name of ['a1', 'a2', 'a3']) void tasks.add(APP, name);
    void tasks.add(OTHER_APP, 'b1');
    void tasks.add(THIRD_APP, 'c1');
    await nextTurn();
    for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) await tasks.finish(name);
    expect(tasks.started).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('starts the next task after a failure', async () => {
    const queue = new FairQueue(1, 1);
    const failedTask = queue.run(APP, () => Promise.reject(new Error('broken')));
    const nextTask = queue.run(APP, async () => 'next');
    await expect(failedTask).rejects.toThrow('broken');
    expect(await nextTask).toBe('next');
  });
});

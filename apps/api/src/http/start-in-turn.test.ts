import { Turns } from '@back-office/kernel';
import { AsyncLocalStorage } from 'node:async_hooks';
import { MAX_STARTS, startInTurn } from './start-in-turn.js';

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the start of requests', () => {
  it('is limited in each pass of the event loop, and takes turns by caller', async () => {
    const turns = new Turns<string | number>(MAX_STARTS);
    const started: string[] = [];
    for (let index = 0; index < 3 * MAX_STARTS; index += 1) startInTurn(turns, 'busy', () => started.push('busy'));
    startInTurn(turns, 'other', () => started.push('other'));
    expect(started).toHaveLength(MAX_STARTS);
    await nextPass();
    expect(started.slice(MAX_STARTS)).toContain('other');
    while (turns.waitingCount > 0) await nextPass();
    expect(started).toHaveLength(3 * MAX_STARTS + 1);
  });

  it('keeps the asynchronous context of each request', async () => {
    const turns = new Turns<string | number>(1);
    const storage = new AsyncLocalStorage<number>();
    const contexts: unknown[] = [];
    for (let index = 0; index < 5; index += 1)
      storage.run(index, () => startInTurn(turns, 'a', () => contexts.push(storage.getStore())));
    while (contexts.length < 5) await nextPass();
    expect(contexts).toEqual([0, 1, 2, 3, 4]);
  });
});

import { AsyncLocalStorage } from 'node:async_hooks';
import { Admission } from './admission.js';

let nowMs = 0;
const spend = (milliseconds: number): void => {
  nowMs += milliseconds;
};
const nextPass = () => new Promise((resolve) => setImmediate(resolve));

describe('the admission of requests', () => {
  it('starts a request immediately while time is left in the present slice', () => {
    const admission = new Admission(() => nowMs);
    const startedCallers: string[] = [];
    for (const name of ['1', '2', '3']) admission.enter('a', () => startedCallers.push(name));
    expect([startedCallers, admission.waitingCount]).toEqual([['1', '2', '3'], 0]);
  });

  it('starts requests of several callers in turn, a few in each pass', async () => {
    const admission = new Admission(() => nowMs);
    const startedCallers: string[] = [];
    const enter = (caller: string): void => {
      admission.enter(caller, () => {
        startedCallers.push(caller);
        spend(1);
      });
    };
    for (let index = 0; index < 20; index += 1) enter('storm');
    const startedAtOnce = startedCallers.length;
    expect(startedAtOnce).toBeLessThan(5);
    enter('shop');
    enter('shop');
    await nextPass();
    expect(startedCallers.length).toBeLessThan(10);
    for (let pass = 0; pass < 40; pass += 1) await nextPass();
    expect(startedCallers.slice(0, startedAtOnce + 4).filter((caller) => caller === 'shop')).toHaveLength(2);
    expect([startedCallers.length, admission.waitingCount]).toEqual([22, 0]);
  });

  it('starts each request in its own asynchronous context', async () => {
    const admission = new Admission(() => nowMs);
    const storage = new AsyncLocalStorage<number>();
    const contexts: unknown[] = [];
    for (let index = 0; index < 10; index += 1)
      storage.run(index, () =>
        admission.enter('a', () => {
          contexts.push(storage.getStore());
          spend(1);
        }),
      );
    while (admission.waitingCount > 0) await nextPass();
    expect(contexts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('starts requests of the caller that has used less time first', async () => {
    const admission = new Admission(() => nowMs);
    const startedCallers: string[] = [];
    const enter = (caller: string, milliseconds: number): void => {
      admission.enter(caller, () => {
        startedCallers.push(caller);
        spend(milliseconds);
      });
    };
    for (let index = 0; index < 4; index += 1) enter('storm', 5);
    for (let index = 0; index < 6; index += 1) enter('shop', 0.1);
    for (let pass = 0; pass < 20; pass += 1) await nextPass();
    // Two requests of the caller `storm` start before the first request of `shop` arrives.
    expect(startedCallers.slice(2, 8)).toEqual(Array.from({ length: 6 }, () => 'shop'));
    expect(startedCallers).toHaveLength(10);
  });

  it('begins a new time slice in each pass of the event loop', async () => {
    const admission = new Admission(() => nowMs);
    const startedCallers: number[] = [];
    for (const pass of [1, 2, 3]) {
      admission.enter('a', () => spend(3));
      await nextPass();
      admission.enter('a', () => startedCallers.push(pass));
    }
    await nextPass();
    expect(startedCallers).toEqual([1, 2, 3]);
  });
});

import { findOrLoad, Memory } from './memory.js';

let nowMs: number;
const clock = { now: () => new Date(nowMs) };
beforeEach(() => (nowMs = 10_000));

describe('values in a Memory', () => {
  let memory: Memory<number>;
  beforeEach(() => (memory = new Memory(1_000, clock, 3)));

  it('are remembered for their lifetime', () => {
    memory.set('a', 1);
    expect([memory.get('a'), memory.get('b')]).toEqual([1, undefined]);
    nowMs += 1_000;
    expect(memory.get('a')).toBeUndefined();
  });

  it('are forgotten when the clock is set back', () => {
    memory.set('a', 1);
    nowMs -= 5_000;
    expect(memory.get('a')).toBeUndefined();
  });

  it('are forgotten on demand', () => {
    for (const key of ['a', 'b', 'c']) memory.set(key, 1);
    memory.delete('a');
    expect(['a', 'b'].map((key) => memory.get(key))).toEqual([undefined, 1]);
    memory.clear();
    expect(memory.get('b')).toBeUndefined();
  });

  it('are forgotten when newer values exceed the maximum number', () => {
    for (const key of ['a', 'b', 'a', 'c', 'd']) memory.set(key, 1);
    expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key))).toEqual([1, undefined, 1, 1]);
  });
});

describe('a loaded value', () => {
  it('is loaded once for simultaneous callers, and again after its lifetime', async () => {
    const memory = new Memory<Promise<number | undefined>>(1_000, clock);
    let loads = 0;
    const find = () => findOrLoad(memory, 'a', async () => (loads += 1));
    expect(await Promise.all([find(), find()])).toEqual([1, 1]);
    nowMs += 1_000;
    expect(await find()).toBe(2);
  });

  it('is not remembered when it is missing or its load fails', async () => {
    const memory = new Memory<Promise<number | undefined>>(1_000, clock);
    expect(await findOrLoad(memory, 'a', async () => undefined)).toBeUndefined();
    await expect(findOrLoad(memory, 'a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(await findOrLoad(memory, 'a', async () => 3)).toBe(3);
  });
});

import { ManualClock } from '@back-office/kernel/testing';
import { EndpointSlots, MAX_ENDPOINTS } from './endpoint-slots.js';

const SLOW_MS = [3_000, 500];
const FAST_MS = [1_200, 300];

let clock: ManualClock;
let slots: EndpointSlots;
let started: string[];
let ends: (() => void)[];
beforeEach(() => {
  clock = new ManualClock();
  slots = new EndpointSlots(clock);
  [started, ends] = [[], []];
});

function run(key: string): Promise<void> {
  started.push(key);
  return new Promise((resolve) => ends.push(resolve));
}
function start(...keys: readonly string[]): void {
  for (const key of keys) slots.start(key, () => run(key));
}
const keysOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}/${index}`);

describe('endpoints', () => {
  it('take turns until all slots are taken, each in one slot', async () => {
    start('1/1', '1/1', ...keysOf('2', MAX_ENDPOINTS));
    expect(started).toEqual(['1/1', ...keysOf('2', MAX_ENDPOINTS - 1)]);
    expect(slots.isFull).toBe(true);
    for (const end of ends) end();
    await slots.idle();
    expect(slots.isFull).toBe(false);
    start('1/1');
    expect(started.at(-1)).toBe('1/1');
  });

  it('that were slow leave half of the slots to others', () => {
    const slow = keysOf('slow', MAX_ENDPOINTS);
    for (const key of slow) slots.note(key, SLOW_MS);
    start(...slow);
    expect(started).toHaveLength(MAX_ENDPOINTS / 2);
    start('fast/1');
    expect(started.at(-1)).toBe('fast/1');
  });

  it('are slow until a turn is fast, or for ten minutes', () => {
    slots.note('1/1', SLOW_MS);
    slots.note('1/2', FAST_MS);
    slots.note('1/1', []);
    expect(['1/1', '1/2'].map((key) => slots.isSlow(key))).toEqual([true, false]);
    slots.note('1/1', FAST_MS);
    slots.note('1/2', SLOW_MS);
    expect(['1/1', '1/2'].map((key) => slots.isSlow(key))).toEqual([false, true]);
    clock.forward({ seconds: 660 });
    expect(slots.isSlow('1/2')).toBe(false);
  });
});

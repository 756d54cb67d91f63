import { jsonSteps, mapSteps, runSteps } from '@back-office/kernel';
import { runInSlices } from './run-in-slices.js';

const ITEMS = Array.from({ length: 1_000 }, (_, index) => index);

function busyFor(milliseconds: number): void {
  const endMs = performance.now() + milliseconds;
  while (performance.now() < endMs);
}

describe('work in steps', () => {
  it('maps all items in order, at once or in slices', async () => {
    const double = (item: number, index: number) => item + index;
    const expected = ITEMS.map(double);
    expect(runSteps(mapSteps(ITEMS, double))).toEqual(expected);
    expect(await runInSlices(mapSteps(ITEMS, double))).toEqual(expected);
  });

  it('makes the same JSON as JSON.stringify', async () => {
    const toRow = (item: number) => ({ item, text: `"${item}"` });
    for (const items of [[], ITEMS])
      expect(await runInSlices(jsonSteps(items, toRow))).toBe(JSON.stringify(items.map(toRow)));
  });

  it('lets other work run between slices', async () => {
    let passCount = 0;
    const timer = setInterval(() => (passCount += 1), 1);
    await runInSlices(mapSteps(ITEMS, () => busyFor(0.2)));
    clearInterval(timer);
    expect(passCount).toBeGreaterThan(3);
  });

  it('throws the error of a step', async () => {
    const fail = () => {
      throw new Error('step');
    };
    await expect(runInSlices(mapSteps(ITEMS, fail))).rejects.toThrow('step');
  });
});

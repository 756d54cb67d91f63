import { closeAll, type Closable } from './close-all.js';

describe('closeAll', () => {
  const closedNames: string[] = [];
  const closable = (name: string): Closable => ({ close: () => void closedNames.push(name) });
  beforeEach(() => {
    closedNames.length = 0;
  });

  it('closes adapters in reverse order and skips adapters without a close function', async () => {
    await closeAll([closable('a'), {}, closable('b')]);
    expect(closedNames).toEqual(['b', 'a']);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['fails', () => Promise.reject(new Error('No line')), 'No line'],
    ['hangs', () => new Promise<void>(() => {}), 'not closed within 50 ms'],
  ])('closes all other adapters when one %s, then throws', async (_, close, message) => {
    await expect(closeAll([closable('a'), { close }, closable('b')], 50)).rejects.toThrow(message);
    expect(closedNames).toEqual(['b', 'a']);
  });
});

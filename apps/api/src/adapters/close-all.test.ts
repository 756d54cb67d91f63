import { closeAll, type Closable } from './close-all.js';

describe('closeAll', () => {
  const closed: string[] = [];
  const closing = (name: string): Closable => ({ close: () => void closed.push(name) });
  beforeEach(() => {
    closed.length = 0;
  });

  it('closes in reverse order and skips objects without close', async () => {
    await closeAll([closing('a'), {}, closing('b')]);
    expect(closed).toEqual(['b', 'a']);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['fails', () => Promise.reject(new Error('No line')), 'No line'],
    ['hangs', () => new Promise<void>(() => {}), 'not closed within 50 ms'],
  ])('closes the rest when one %s, then throws', async (_, close, message) => {
    await expect(closeAll([closing('a'), { close }, closing('b')], 50)).rejects.toThrow(message);
    expect(closed).toEqual(['b', 'a']);
  });
});

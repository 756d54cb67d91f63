import { closeAll, type Closable } from './close-all.js';

describe('what was opened', () => {
  const closed: string[] = [];
  const closing = (name: string): Closable => ({ close: () => void closed.push(name) });
  beforeEach(() => {
    closed.length = 0;
  });

  it('is closed, the last first; what has no close is passed over', async () => {
    await closeAll([closing('a'), {}, closing('b')]);
    expect(closed).toEqual(['b', 'a']);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['fails', () => Promise.reject(new Error('No line')), 'No line'],
    ['hangs', () => new Promise<void>(() => {}), 'not closed within 50 ms'],
  ])('is closed though one %s, which is reported at the end', async (_, close, message) => {
    await expect(closeAll([closing('a'), { close }, closing('b')], 50)).rejects.toThrow(message);
    expect(closed).toEqual(['b', 'a']);
  });
});

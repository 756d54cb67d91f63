import { SlotMap } from './slot-map.js';

describe('SlotMap', () => {
  const mapOf = (...keys: string[]): SlotMap<string, { name: string }> => {
    const map = new SlotMap<string, { name: string }>();
    for (const key of keys) map.set(key, { name: key });
    return map;
  };

  it('finds values by key', () => {
    const map = mapOf('a', 'b');
    expect(map.get('b')).toEqual({ name: 'b' });
    expect([map.has('a'), map.has('c'), map.get('c'), map.size]).toEqual([true, false, undefined, 2]);
  });

  it('keeps the order in which keys were added', () => {
    const map = mapOf('a', 'b', 'c');
    map.delete('a');
    map.set('d', { name: 'd' });
    map.set('a', { name: 'again' });
    map.set('c', { name: 'changed' });
    expect([...map.keys()]).toEqual(['b', 'c', 'd', 'a']);
    expect([...map]).toEqual([
      ['b', { name: 'b' }],
      ['c', { name: 'changed' }],
      ['d', { name: 'd' }],
      ['a', { name: 'again' }],
    ]);
  });

  it('reports whether it removed a key', () => {
    const map = mapOf('a');
    expect([map.delete('a'), map.delete('a'), map.size, map.get('a')]).toEqual([true, false, 0, undefined]);
  });
});

import { Turns, type EndTurn } from './turns.js';

let started: string[];
beforeEach(() => (started = []));

function enterTimes(turns: Turns<string>, party: string, count: number): EndTurn[] {
  return Array.from({ length: count }, () => turns.enter(party, () => started.push(party)));
}
const takeStarted = (): string[] => started.splice(0);

describe('Turns', () => {
  it('start at once up to the maximum of a party and of all', () => {
    const turns = new Turns<string>(5, 3);
    enterTimes(turns, 'a', 4);
    enterTimes(turns, 'b', 3);
    expect(takeStarted()).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(turns.waitingCount).toBe(2);
    expect(['a', 'b', 'c'].map((party) => turns.isWaiting(party))).toEqual([true, true, false]);
  });

  it('go to the party with the fewest turns, then in the order of arrival', () => {
    const turns = new Turns<string>(8);
    const ends = enterTimes(turns, 'a', 8);
    for (const party of ['a', 'b', 'c']) enterTimes(turns, party, 2);
    takeStarted();
    for (const end of ends) end();
    expect(takeStarted()).toEqual(['b', 'c', 'b', 'c', 'a', 'a']);
    expect(turns.waitingCount).toBe(0);
  });

  it('alternate between parties that each have one turn', () => {
    const turns = new Turns<string>(1);
    const [end] = enterTimes(turns, 'a', 1);
    const waiting = [...enterTimes(turns, 'a', 2), ...enterTimes(turns, 'b', 2)];
    const order = [end, waiting[2], waiting[0], waiting[3], waiting[1]];
    for (const endTurn of order) endTurn?.();
    expect(takeStarted()).toEqual(['a', 'b', 'a', 'b', 'a']);
  });

  it('are not given to a party that has its share, even when others are idle', () => {
    const turns = new Turns<string>(4, 2);
    enterTimes(turns, 'a', 3);
    expect(takeStarted()).toEqual(['a', 'a']);
    enterTimes(turns, 'b', 1);
    expect(takeStarted()).toEqual(['b']);
  });

  it('skip a caller that has left the queue', () => {
    const turns = new Turns<string>(1);
    const [end] = enterTimes(turns, 'a', 1);
    const [leave] = enterTimes(turns, 'b', 1);
    enterTimes(turns, 'c', 1);
    leave?.();
    leave?.();
    end?.();
    end?.();
    expect(takeStarted()).toEqual(['a', 'c']);
    expect(turns.waitingCount).toBe(0);
  });

  it('are given back once, when the work that they ran has ended or failed', async () => {
    const turns = new Turns<string>(1);
    await expect(turns.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const first = turns.run('a', async () => 1);
    const second = turns.run('b', async () => 2);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    enterTimes(turns, 'c', 1);
    expect(takeStarted()).toEqual(['c']);
  });
});

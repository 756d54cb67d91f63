import type { Party } from '@back-office/database';
import type { EndTurn } from '@back-office/kernel';
import { ConnectionTurns } from './connection-turns.js';

const TIMEOUT_MS = 50;
const app = (key: number): Party => ({ kind: 'app', key });
const token = (key: string): Party => ({ kind: 'token', key });
const file = (key: string): Party => ({ kind: 'file', key });
const HEALTH: Party = { kind: 'health', key: '' };

let turns: ConnectionTurns;
let granted: { readonly name: string; readonly end: EndTurn }[];
let refused: string[];

beforeEach(() => {
  turns = new ConnectionTurns(10, TIMEOUT_MS);
  granted = [];
  refused = [];
});

const request = (count: number, party: Party): void => {
  const name = `${party.kind} ${party.key}`;
  const [grantedList, refusedList] = [granted, refused];
  for (let index = 0; index < count; index += 1)
    void turns.take(party).then(
      (end) => grantedList.push({ name, end }),
      () => refusedList.push(name),
    );
};
const takeGranted = async () => {
  await new Promise(setImmediate);
  return granted.splice(0);
};
const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

describe('turns of ten connections', () => {
  it('leave connections for other apps, and for look-ups', async () => {
    request(9, app(1));
    expect(await takeGranted()).toHaveLength(6);
    request(3, app(2));
    expect(namesOf(await takeGranted())).toEqual(['app 2', 'app 2']);
    expect(turns.waiting()).toEqual({ app: 4, token: 0, file: 0, health: 0 });
    for (const party of [HEALTH, token('a'), file('a')]) request(1, party);
    expect(namesOf(await takeGranted())).toEqual(['health ', 'token a', 'file a']);
  });

  it('keep connections for calls during many look-ups', async () => {
    request(300, file('1.2.3.4'));
    request(300, token('1.2.3.4'));
    request(2, HEALTH);
    expect(await takeGranted()).toHaveLength(9);
    request(1, app(1));
    expect(namesOf(await takeGranted())).toEqual(['app 1']);
  });

  it('go to look-ups of several addresses in turn', async () => {
    request(30, token('storm'));
    request(1, token('shop'));
    const [first] = await takeGranted();
    first?.end();
    expect(namesOf(await takeGranted())).toEqual(['token shop']);
  });

  it('reject a caller that waits too long, and pass its turn on', async () => {
    request(6, app(1));
    request(2, app(2));
    request(1, app(3));
    const [first] = await takeGranted();
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS + 30));
    expect(refused).toEqual(['app 3']);
    request(1, app(4));
    first?.end();
    expect(namesOf(await takeGranted())).toEqual(['app 4']);
    expect(turns.waitingCount).toBe(0);
  });
});

describe('turns of one connection', () => {
  it('let every kind of work run', async () => {
    turns = new ConnectionTurns(1, TIMEOUT_MS);
    for (const party of [app(1), app(1), app(2), HEALTH, token('a'), file('a')]) request(1, party);
    const names: string[] = [];
    for (let list = await takeGranted(); list.length > 0; list = await takeGranted())
      for (const { name, end } of list) {
        names.push(name);
        end();
      }
    expect(names.sort()).toEqual(['app 1', 'app 1', 'app 2', 'file a', 'health ', 'token a']);
  });
});

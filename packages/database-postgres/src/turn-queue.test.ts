import type { Party } from '@back-office/database';
import { TurnQueue } from './turn-queue.js';

const TIMEOUT_MS = 50;
const app = (key: number): Party => ({ kind: 'app', key });
const token = (key: string): Party => ({ kind: 'token', key });
const file = (key: string): Party => ({ kind: 'file', key });
const HEALTH: Party = { kind: 'health', key: '' };

let queue: TurnQueue;
let granted: string[];

beforeEach(() => {
  queue = new TurnQueue(10, TIMEOUT_MS);
  granted = [];
});

const nameOf = ({ kind, key }: Party) => `${kind} ${key}`;
const request = (party: Party): void => {
  const names = granted;
  const note = (suffix: string) => () => void names.push(nameOf(party) + suffix);
  if (queue.tryTake(party)) note('')();
  else void queue.wait(party).then(note(''), note(' in vain'));
};
const requestTimes = (count: number, party: Party): void => {
  for (let index = 0; index < count; index += 1) request(party);
};
const takeGranted = async (): Promise<string[]> => {
  await Promise.resolve();
  return granted.splice(0);
};

describe('a TurnQueue of ten connections', () => {
  it('grants one app all connections except the two that are reserved for health checks and look-ups', async () => {
    requestTimes(9, app(1));
    expect(await takeGranted()).toHaveLength(8);
    expect(queue.waiting()).toEqual({ app: 1, token: 0, file: 0, health: 0 });
    request(HEALTH);
    request(token('a'));
    expect(await takeGranted()).toEqual(['health ', 'token a']);
  });

  it('grants the next free connection to another app, before earlier calls of the first app', async () => {
    requestTimes(20, app(1));
    request(app(2));
    await takeGranted();
    queue.release(app(1));
    queue.release(app(1));
    expect(await takeGranted()).toEqual(['app 2']);
  });

  it('keeps half of the connections free while another app has called recently', async () => {
    request(app(2));
    queue.release(app(2));
    requestTimes(20, app(1));
    request(app(2));
    expect(await takeGranted()).toEqual(['app 2', ...Array.from({ length: 4 }, () => 'app 1'), 'app 2']);
  });

  it('gives waiting apps equal numbers of connections', async () => {
    requestTimes(8, app(1));
    for (const key of [1, 2, 3]) requestTimes(2, app(key));
    await takeGranted();
    for (let released = 0; released < 8; released += 1) queue.release(app(1));
    expect(await takeGranted()).toEqual(['app 2', 'app 3', 'app 2', 'app 3', 'app 1', 'app 1']);
  });

  it('keeps connections for calls and token look-ups during many file look-ups', async () => {
    requestTimes(300, file('1.2.3.4'));
    expect(await takeGranted()).toHaveLength(4);
    requestTimes(300, token('1.2.3.4'));
    expect(await takeGranted()).toHaveLength(4);
    requestTimes(2, app(1));
    expect(await takeGranted()).toEqual(['app 1', 'app 1']);
  });

  it('grants look-ups of several addresses in turn', async () => {
    requestTimes(300, token('storm'));
    request(token('shop'));
    await takeGranted();
    queue.release(token('storm'));
    queue.release(token('storm'));
    expect(await takeGranted()).toEqual(['token shop', 'token storm']);
  });

  it('grants connections to calls and to each kind of look-up in turn', async () => {
    requestTimes(8, app(1));
    requestTimes(2, file('a'));
    for (const party of [app(1), app(2), token('a'), file('a'), HEALTH]) request(party);
    await takeGranted();
    for (let released = 0; released < 4; released += 1) queue.release(app(1));
    expect((await takeGranted()).sort()).toEqual(['app 2', 'file a', 'health ', 'token a']);
  });

  it('rejects a caller that waits too long, and gives its turn to the next caller', async () => {
    requestTimes(8, app(1));
    request(app(2));
    await takeGranted();
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS + 20));
    expect(await takeGranted()).toEqual(['app 2 in vain']);
    request(app(3));
    queue.release(app(1));
    expect(await takeGranted()).toEqual(['app 3']);
    expect(queue.waitingCount).toBe(0);
  });
});

describe('a TurnQueue of one connection', () => {
  it('grants the connection in turns', async () => {
    queue = new TurnQueue(1, TIMEOUT_MS);
    for (const party of [app(1), app(1), app(2), HEALTH, token('a'), file('a')]) request(party);
    for (let released = 0; released < 6; released += 1) {
      const [party = ''] = await takeGranted();
      const [kind, key] = party.split(' ');
      queue.release({ kind: kind as Party['kind'], key: kind === 'app' ? Number(key) : (key as string) });
      if (released === 4) expect(queue.waitingCount).toBe(0);
    }
  });
});

import type { Request, RequestHandler } from 'express';
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { admitLargeBodies, admitLargePages, LargeCalls } from './large-calls.js';

class FakeResponse extends EventEmitter {
  closed = false;
}

const enter = (queue: LargeCalls, appId: number) => {
  const response = new FakeResponse();
  const call = {
    state: 'waiting',
    disconnect: () => response.emit('close'),
    finish: () => queue.finish(response as never),
    startWork: () => queue.startWork(response as never),
    receive: (bodyBytes: number) => {
      call.state = 'received';
      queue.startBody(appId, response as never, bodyBytes, (error) => (call.state = error ? 'refused' : 'working'));
    },
    refuse: () => queue.end(response as never),
    end: () => {
      call.finish();
      call.disconnect();
    },
  };
  queue.enter(appId, response as never, (error) => (call.state = error ? 'refused' : 'started'));
  return call;
};
const NO_PAUSE = { maxPauseMs: 0 };
const statesOf = (calls: readonly { readonly state: string }[]) => calls.map(({ state }) => state);

describe('large calls', () => {
  it('run one at a time, in the order of arrival', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2, 3].map(() => enter(queue, 7));
    expect(statesOf(calls)).toEqual(['started', 'waiting', 'waiting']);
    calls[0]?.end();
    expect(statesOf(calls)).toEqual(['started', 'started', 'waiting']);
    calls[1]?.end();
    expect(statesOf(calls)).toEqual(['started', 'started', 'started']);
  });

  it('pause for as long as the process was busy with them, while others wait', async () => {
    let busyMs = 1_000;
    const queue = new LargeCalls({ busyMs: () => busyMs });
    const calls = [1, 2].map(() => enter(queue, 7));
    busyMs += 100;
    calls[0]?.end();
    await pause(50);
    expect(statesOf(calls)).toEqual(['started', 'waiting']);
    await pause(80);
    expect(statesOf(calls)).toEqual(['started', 'started']);
  });

  it('pause no longer than the maximum', async () => {
    let busyMs = 0;
    const queue = new LargeCalls({ maxPauseMs: 20, busyMs: () => busyMs });
    const calls = [1, 2].map(() => enter(queue, 7));
    busyMs += 5_000;
    calls[0]?.end();
    await pause(60);
    expect(statesOf(calls)).toEqual(['started', 'started']);
  });

  it('start without a pause when an app sends one after another, even if another app waits', () => {
    let busyMs = 0;
    const queue = new LargeCalls({ busyMs: () => busyMs });
    for (let call = 0; call < 2; call += 1) enter(queue, 8);
    const first = enter(queue, 7);
    busyMs += 100;
    first.end();
    expect(enter(queue, 7).state).toBe('started');
  });

  it('do not wait for large calls of another app', () => {
    const queue = new LargeCalls(NO_PAUSE);
    enter(queue, 7);
    expect([enter(queue, 7).state, enter(queue, 8).state]).toEqual(['waiting', 'started']);
  });

  it('leave the queue when their client leaves', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2, 3].map(() => enter(queue, 7));
    calls[1]?.disconnect();
    calls[0]?.end();
    expect(statesOf(calls)).toEqual(['started', 'waiting', 'started']);
  });

  it('keep their turn until their work is done, even when their client leaves', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2].map(() => enter(queue, 7));
    calls[0]?.startWork();
    calls[0]?.disconnect();
    expect(statesOf(calls)).toEqual(['started', 'waiting']);
    calls[0]?.finish();
    expect(statesOf(calls)).toEqual(['started', 'started']);
  });

  it('end their turn when their client leaves before the work starts', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2].map(() => enter(queue, 7));
    calls[0]?.disconnect();
    expect(statesOf(calls)).toEqual(['started', 'started']);
  });

  it('end their turn when they are refused', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2].map(() => enter(queue, 7));
    calls[0]?.refuse();
    expect(statesOf(calls)).toEqual(['started', 'started']);
  });

  it('end the turn of a slow reader after the maximum time', async () => {
    const queue = new LargeCalls({ ...NO_PAUSE, maxTurnMs: 40 });
    const calls = [1, 2, 3].map(() => enter(queue, 7));
    calls[0]?.startWork();
    calls[0]?.finish();
    expect(statesOf(calls)).toEqual(['started', 'waiting', 'waiting']);
    await pause(60);
    calls[0]?.disconnect();
    expect(statesOf(calls)).toEqual(['started', 'started', 'waiting']);
  });

  it('end their turn when their body is small', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2, 3].map(() => enter(queue, 7));
    calls[0]?.receive(16 * 1024);
    expect(statesOf(calls)).toEqual(['working', 'waiting', 'waiting']);
    calls[0]?.receive(1_000);
    calls[0]?.end();
    expect(statesOf(calls)).toEqual(['working', 'started', 'waiting']);
  });

  it('do not start when their client has left', () => {
    const queue = new LargeCalls(NO_PAUSE);
    let isStarted = false;
    queue.enter(7, { once: () => {}, closed: true } as never, () => (isStarted = true));
    expect([isStarted, enter(queue, 7).state]).toEqual([false, 'started']);
  });

  it('are refused when they wait too long', async () => {
    const queue = new LargeCalls({ ...NO_PAUSE, maxWaitMs: 10 });
    const calls = [1, 2].map(() => enter(queue, 7));
    await pause(50);
    expect(statesOf(calls)).toEqual(['started', 'refused']);
    calls[0]?.end();
    expect(enter(queue, 7).state).toBe('started');
  });
});

describe('calls with huge bodies', () => {
  const HUGE = 128 * 1024;
  const receiveAll = (queue: LargeCalls, apps: readonly number[]) => {
    const calls = apps.map((app) => enter(queue, app));
    for (const call of calls) call.receive(HUGE);
    return calls;
  };

  it('run two at a time in the whole process, in the order of arrival', () => {
    const calls = receiveAll(new LargeCalls(NO_PAUSE), [1, 2, 3, 4]);
    expect(statesOf(calls)).toEqual(['working', 'working', 'received', 'received']);
    calls[1]?.finish();
    expect(statesOf(calls)).toEqual(['working', 'working', 'working', 'received']);
    calls[0]?.refuse();
    expect(statesOf(calls)).toEqual(['working', 'working', 'working', 'working']);
  });

  it('do not wait for a body that is still arriving, or for one of less than 128 kB', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = [1, 2, 3, 4].map((app) => enter(queue, app));
    calls[1]?.receive(HUGE - 1);
    calls[2]?.receive(HUGE);
    calls[3]?.receive(HUGE);
    expect(statesOf(calls)).toEqual(['started', 'working', 'working', 'working']);
  });

  it('leave the queue when their client leaves, and give the turn of their app back', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = receiveAll(queue, [1, 2, 3, 4]);
    const next = enter(queue, 3);
    calls[2]?.disconnect();
    calls[0]?.finish();
    expect(statesOf([...calls, next])).toEqual(['working', 'working', 'received', 'working', 'started']);
  });

  it('keep their turn as long as they work, and the turn of their app for the maximum time', async () => {
    const queue = new LargeCalls({ ...NO_PAUSE, maxTurnMs: 40 });
    const calls = receiveAll(queue, [1, 2, 3]);
    const next = enter(queue, 1);
    await pause(60);
    expect(statesOf([...calls, next])).toEqual(['working', 'working', 'received', 'started']);
    calls[0]?.finish();
    expect(statesOf(calls)).toEqual(['working', 'working', 'working']);
  });

  it('keep the turn of their app while they wait', async () => {
    const queue = new LargeCalls({ ...NO_PAUSE, maxTurnMs: 40 });
    const calls = receiveAll(queue, [1, 2, 3]);
    const next = enter(queue, 3);
    await pause(60);
    expect(statesOf([...calls, next])).toEqual(['working', 'working', 'received', 'waiting']);
  });

  it('are refused at once when 64 MB of bodies wait', () => {
    const queue = new LargeCalls(NO_PAUSE);
    const calls = Array.from({ length: 10 }, (_, index) => enter(queue, index));
    for (const call of calls) call.receive(10 * 2 ** 20);
    expect(statesOf(calls.slice(0, 3))).toEqual(['working', 'working', 'received']);
    expect(statesOf(calls.slice(7))).toEqual(['received', 'refused', 'refused']);
    calls[7]?.disconnect();
    const late = enter(queue, 11);
    late.receive(10 * 2 ** 20);
    expect(late.state).toBe('received');
  });

  it('are refused when they wait too long', async () => {
    const queue = new LargeCalls({ ...NO_PAUSE, maxWaitMs: 10 });
    const calls = receiveAll(queue, [1, 2, 3]);
    await pause(50);
    expect(statesOf(calls)).toEqual(['working', 'working', 'refused']);
  });
});

describe('a large call', () => {
  const isDelayed = (admit: (queue: LargeCalls) => RequestHandler, request: object): boolean => {
    const queue = new LargeCalls({ maxOfApp: 0, maxWaitMs: 1 });
    let isStarted = false;
    const response = Object.assign(new FakeResponse(), { locals: { holder: { app: { id: 7 } } } });
    admit(queue)(request as Request, response as never, () => (isStarted = true));
    response.emit('close');
    return !isStarted;
  };
  const withHeaders = (headers: object, maxBytes = 1_000_000): boolean =>
    isDelayed((queue) => admitLargeBodies(queue, maxBytes), { headers });
  const withQuery = (query: object, parameters = {}, isStreamed = false): boolean =>
    isDelayed((queue) => admitLargePages(queue, { query: parameters, isStreamed }), { query });

  it('is a call with a large body or a body of unknown size', () => {
    expect(withHeaders({ 'content-length': '100' })).toBe(false);
    expect(withHeaders({ 'content-length': '20000' })).toBe(true);
    expect(withHeaders({ 'content-length': '100', 'content-encoding': 'br' })).toBe(true);
    expect(withHeaders({ 'transfer-encoding': 'chunked' })).toBe(true);
  });

  it('is never a call whose body may have at most 16 kB', () => {
    expect(withHeaders({ 'transfer-encoding': 'chunked' }, 16 * 1024)).toBe(false);
  });

  it('is a call for a large page that does not wait for events', () => {
    const parameter = { schema: {}, description: '' };
    expect(withQuery({ limit: '999' }, { limit: parameter })).toBe(false);
    expect(withQuery({ limit: '1000' }, { limit: parameter })).toBe(true);
    expect(withQuery({ limit: '1000' }, { limit: parameter, wait: parameter })).toBe(false);
    expect(withQuery({ limit: '1000' })).toBe(false);
  });

  it('is a call for a list without pages', () => {
    expect(withQuery({}, {}, true)).toBe(true);
  });
});

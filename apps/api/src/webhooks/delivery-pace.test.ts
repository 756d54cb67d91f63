import { setTimeout as pause } from 'node:timers/promises';
import { DeliveryPace } from './delivery-pace.js';

let busyMs: number;
let started: string[];
beforeEach(() => {
  busyMs = 1_000;
  started = [];
});

function take(pace: DeliveryPace, appId: number, name: string): void {
  void pace.take(appId).then(() => started.push(name));
}

describe('deliveries', () => {
  it('start at once when the process was idle, and one after another', async () => {
    const pace = new DeliveryPace(() => busyMs);
    for (const name of ['a1', 'a2', 'a3']) take(pace, 1, name);
    await Promise.resolve();
    expect(started).toEqual(['a1']);
    await pause(30);
    expect(started).toEqual(['a1', 'a2', 'a3']);
  });

  it('pause for as long as the process was busy, at most 50 ms', async () => {
    const pace = new DeliveryPace(() => busyMs);
    take(pace, 1, 'a1');
    take(pace, 1, 'a2');
    busyMs += 10_000;
    await pause(30);
    expect(started).toEqual(['a1']);
    await pause(60);
    expect(started).toEqual(['a1', 'a2']);
  });

  it('of apps alternate', async () => {
    const pace = new DeliveryPace(() => busyMs);
    for (const name of ['a1', 'a2', 'a3']) take(pace, 1, name);
    take(pace, 2, 'b1');
    await pause(40);
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});

import type { DueProforma } from '@back-office/proforma';
import type { AppContext } from '../http/app-context.js';
import { ExpirySweep } from './expiry-sweep.js';

type Batch = readonly [appId: number, ids: readonly number[]];

/** Proformas that are due, and what expiring them comes to; ids count from 100 in app 1, from 200 in app 2. */
class Overdue {
  readonly batches: Batch[] = [];
  readonly poison = new Set<number>();
  private left: DueProforma[] = [];
  private readonly busy = new Set<number>();

  add(appId: number, count: number, lines = 1): void {
    const first = appId * 100_000;
    this.left.push(...Array.from({ length: count }, (_, place) => ({ appId, id: first + place, lines })));
  }

  /** Expiring anything of the app ends as a lock that does not come. */
  block(appId: number): void {
    this.busy.add(appId);
  }

  get ids(): number[] {
    return this.left.map(({ id }) => id);
  }

  sweep(): ExpirySweep {
    const apps = { context: async (id: number) => ({ id }) as AppContext };
    return new ExpirySweep(this, this, apps, { now: () => new Date() });
  }

  async due(_now: Date, { ofAnApp, inAll }: { ofAnApp: number; inAll: number }): Promise<DueProforma[]> {
    const apps = new Map<number, number>();
    return this.left
      .filter(({ appId }) => {
        apps.set(appId, (apps.get(appId) ?? 0) + 1);
        return (apps.get(appId) ?? 0) <= ofAnApp;
      })
      .slice(0, inAll);
  }

  async expire(app: AppContext, ids: readonly number[]): Promise<number> {
    this.batches.push([app.id, ids]);
    if (this.busy.has(app.id)) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      throw new Error('lock timeout');
    }
    if (ids.some((id) => this.poison.has(id))) throw new Error('poison');
    this.left = this.left.filter(({ id }) => !ids.includes(id));
    return ids.length;
  }
}

let overdue: Overdue;
beforeEach(() => {
  overdue = new Overdue();
});

describe('an app whose proformas cannot be expired', () => {
  it('holds up no other app, and takes one failure of its time in a run', async () => {
    overdue.add(1, 300);
    overdue.add(2, 300);
    overdue.block(1);
    const { changed, failures, more } = await overdue.sweep().run();
    expect([changed, failures, more]).toEqual([300, [], true]);
    expect(overdue.batches.map(([appId, ids]) => [appId, ids.length])).toEqual([
      [1, 100],
      [2, 100],
      [2, 100],
      [2, 100],
    ]);
  });

  it('is tried with ever smaller batches, and its single proformas are reported', async () => {
    overdue.add(1, 3);
    overdue.block(1);
    const sweep = overdue.sweep();
    expect((await sweep.run()).more).toBe(true);
    expect(await sweep.run()).toMatchObject({ failures: [{ appId: 1, id: 100_000 }], more: false });
    // The one that failed comes last.
    expect(await sweep.run()).toMatchObject({ failures: [{ appId: 1, id: 100_001 }] });
    expect(overdue.batches.map(([, ids]) => ids.length)).toEqual([3, 1, 1]);
  });
});

describe('a proforma that cannot be expired', () => {
  it('is found among the others, reported and passed over', async () => {
    overdue.add(1, 250);
    overdue.poison.add(100_042);
    const { changed, failures } = await overdue.sweep().run();
    expect(changed).toBe(249);
    expect(failures).toEqual([{ appId: 1, id: 100_042, error: new Error('poison') }]);
    expect(overdue.ids).toEqual([100_042]);
  });

  it('comes back in the next run, and is expired when it can be', async () => {
    overdue.add(1, 2);
    overdue.poison.add(100_000);
    const sweep = overdue.sweep();
    await sweep.run();
    expect(await sweep.run()).toMatchObject({ changed: 0, failures: [{ id: 100_000 }], more: false });
    overdue.poison.clear();
    expect(await sweep.run()).toMatchObject({ changed: 1, failures: [] });
  });

  it('keeps away none behind it, though there are more of its kind than a run takes on', async () => {
    overdue.add(1, 1_100);
    for (let place = 0; place < 1_050; place += 1) overdue.poison.add(100_000 + place);
    const sweep = overdue.sweep();
    for (let runs = 0; runs < 100 && overdue.ids.length > 1_050; runs += 1) await sweep.run();
    expect(overdue.ids).toHaveLength(1_050);
  });
});

describe('batches', () => {
  it('grow again after a failure', async () => {
    overdue.add(1, 400);
    overdue.poison.add(100_000);
    await overdue.sweep().run();
    expect(overdue.batches.map(([, ids]) => ids.length)).toEqual([
      100, 50, 25, 12, 6, 3, 1, 1, 2, 4, 8, 16, 32, 64, 100, 100, 72,
    ]);
  });

  it('are smaller where proformas have many lines', async () => {
    overdue.add(1, 7, 400);
    overdue.add(2, 2, 5_000);
    await overdue.sweep().run();
    expect(overdue.batches.map(([appId, ids]) => [appId, ids.length])).toEqual([
      [1, 2],
      [2, 1],
      [1, 2],
      [2, 1],
      [1, 2],
      [1, 1],
    ]);
  });

  it('are begun no more once the sweep is to stop', async () => {
    overdue.add(1, 300);
    expect((await overdue.sweep().run(AbortSignal.abort())).changed).toBe(0);
    expect(overdue.batches).toEqual([]);
  });
});

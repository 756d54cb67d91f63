import type { DueProforma } from '@back-office/proforma';
import type { AppContext } from '@back-office/apps';
import { ExpirySweep } from './expiry-sweep.js';

type Batch = readonly [appId: number, ids: readonly number[]];

class OverdueProformas {
  readonly batches: Batch[] = [];
  readonly failingIds = new Set<number>();
  private waitingProformas: DueProforma[] = [];
  private readonly blockedApps = new Set<number>();

  add(appId: number, count: number, lines = 1): void {
    const firstId = appId * 100_000;
    this.waitingProformas.push(...Array.from({ length: count }, (_, index) => ({ appId, id: firstId + index, lines })));
  }

  block(appId: number): void {
    this.blockedApps.add(appId);
  }

  get ids(): number[] {
    return this.waitingProformas.map(({ id }) => id);
  }

  sweep(): ExpirySweep {
    const apps = { context: async (id: number) => ({ id }) as AppContext };
    return new ExpirySweep(this, this, apps, { now: () => new Date() });
  }

  async due(_now: Date, { perApp, overall }: { perApp: number; overall: number }): Promise<DueProforma[]> {
    const countByApp = new Map<number, number>();
    return this.waitingProformas
      .filter(({ appId }) => {
        countByApp.set(appId, (countByApp.get(appId) ?? 0) + 1);
        return (countByApp.get(appId) ?? 0) <= perApp;
      })
      .slice(0, overall);
  }

  async expire(app: AppContext, ids: readonly number[]): Promise<number> {
    this.batches.push([app.id, ids]);
    if (this.blockedApps.has(app.id)) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      throw new Error('lock timeout');
    }
    if (ids.some((id) => this.failingIds.has(id))) throw new Error('poison');
    this.waitingProformas = this.waitingProformas.filter(({ id }) => !ids.includes(id));
    return ids.length;
  }
}

let overdueProformas: OverdueProformas;
beforeEach(() => {
  overdueProformas = new OverdueProformas();
});

describe('an app whose proformas cannot be expired', () => {
  it('is tried once per run, and does not delay other apps', async () => {
    overdueProformas.add(1, 300);
    overdueProformas.add(2, 300);
    overdueProformas.block(1);
    const { changedCount, failures, hasMore } = await overdueProformas.sweep().run();
    expect([changedCount, failures, hasMore]).toEqual([300, [], true]);
    expect(overdueProformas.batches.map(([appId, ids]) => [appId, ids.length])).toEqual([
      [1, 100],
      [2, 100],
      [2, 100],
      [2, 100],
    ]);
  });

  it('gets halved batches until the report names a single proforma', async () => {
    overdueProformas.add(1, 3);
    overdueProformas.block(1);
    const sweep = overdueProformas.sweep();
    expect((await sweep.run()).hasMore).toBe(true);
    expect(await sweep.run()).toMatchObject({ failures: [{ appId: 1, id: 100_000 }], hasMore: false });
    expect(await sweep.run()).toMatchObject({ failures: [{ appId: 1, id: 100_001 }] });
    expect(overdueProformas.batches.map(([, ids]) => ids.length)).toEqual([3, 1, 1]);
  });
});

describe('a proforma that cannot be expired', () => {
  it('is tried alone, reported and skipped', async () => {
    overdueProformas.add(1, 250);
    overdueProformas.failingIds.add(100_042);
    const { changedCount, failures } = await overdueProformas.sweep().run();
    expect(changedCount).toBe(249);
    expect(failures).toEqual([{ appId: 1, id: 100_042, error: new Error('poison') }]);
    expect(overdueProformas.ids).toEqual([100_042]);
  });

  it('is tried again in the next run', async () => {
    overdueProformas.add(1, 2);
    overdueProformas.failingIds.add(100_000);
    const sweep = overdueProformas.sweep();
    await sweep.run();
    expect(await sweep.run()).toMatchObject({ changedCount: 0, failures: [{ id: 100_000 }], hasMore: false });
    overdueProformas.failingIds.clear();
    expect(await sweep.run()).toMatchObject({ changedCount: 1, failures: [] });
  });

  it('does not prevent the expiry of others, even when many fail', async () => {
    overdueProformas.add(1, 1_100);
    for (let index = 0; index < 1_050; index += 1) overdueProformas.failingIds.add(100_000 + index);
    const sweep = overdueProformas.sweep();
    for (let runs = 0; runs < 100 && overdueProformas.ids.length > 1_050; runs += 1) await sweep.run();
    expect(overdueProformas.ids).toHaveLength(1_050);
  });
});

describe('a batch of the sweep', () => {
  it('grows back to its full size after a failure', async () => {
    overdueProformas.add(1, 400);
    overdueProformas.failingIds.add(100_000);
    await overdueProformas.sweep().run();
    expect(overdueProformas.batches.map(([, ids]) => ids.length)).toEqual([
      100, 50, 25, 12, 6, 3, 1, 1, 2, 4, 8, 16, 32, 64, 100, 100, 72,
    ]);
  });

  it('contains fewer proformas when they have many lines', async () => {
    overdueProformas.add(1, 7, 400);
    overdueProformas.add(2, 2, 5_000);
    await overdueProformas.sweep().run();
    expect(overdueProformas.batches.map(([appId, ids]) => [appId, ids.length])).toEqual([
      [1, 2],
      [2, 1],
      [1, 2],
      [2, 1],
      [1, 2],
      [1, 1],
    ]);
  });

  it('does not start when the sweep is aborted', async () => {
    overdueProformas.add(1, 300);
    expect((await overdueProformas.sweep().run(AbortSignal.abort())).changedCount).toBe(0);
    expect(overdueProformas.batches).toEqual([]);
  });
});

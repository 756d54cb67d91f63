import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@back-office/kernel';
import type { DueProforma, ProformaOrders } from '@back-office/proforma';
import type { AppContext } from '@back-office/apps';
import type { ProformaActions } from './proforma-actions.js';

const MAX_PROFORMAS_PER_RUN = { perApp: 1_000, overall: 10_000 };
/** A batch has two limits, because a proforma may have a few lines or thousands. */
const MAX_BATCH = { proformas: 100, lines: 1_000 };
/** Pause after a batch, as a share of the duration of the batch. Meanwhile, API calls do not compete with the sweep. */
const PAUSE_RATIO = 0.75;
/** An app is skipped until the next run after one slow failure, or after this number of fast failures. */
const FAILURE_LIMIT = { slowMs: 500, count: 20 };

export interface AppContexts {
  context(appId: number): Promise<AppContext | undefined>;
}

export interface FailedExpiry {
  readonly appId: number;
  readonly id: number;
  readonly error: unknown;
}

export interface SweepResult {
  readonly changedCount: number;
  readonly failures: readonly FailedExpiry[];
  readonly hasMore: boolean;
}

interface AppQueue {
  readonly appId: number;
  proformas: readonly DueProforma[];
  failureCount: number;
}

/**
 * Expires due proformas in batches; apps take turns. Several processes may sweep at once, because row locks divide the
 * work. A failed batch is halved until a single proforma remains. If that one fails, it is skipped and comes last in
 * the next run.
 */
export class ExpirySweep {
  private readonly reducedBatchSizeByApp = new Map<number, number>();
  /** Ids of proformas that failed in a batch of their own. */
  private readonly failedIds = new Set<number>();

  constructor(
    private readonly proformas: Pick<ProformaOrders, 'due'>,
    private readonly actions: Pick<ProformaActions, 'expire'>,
    private readonly apps: AppContexts,
    private readonly clock: Clock,
  ) {}

  async run(stopSignal?: AbortSignal): Promise<SweepResult> {
    const failures: FailedExpiry[] = [];
    let [changedCount, hasHalvedBatch] = [0, false];
    let queues = this.queuesOf(await this.findDue());
    while (queues.length > 0 && !stopSignal?.aborted) {
      for (const queue of queues) {
        if (stopSignal?.aborted) break;
        const batch = nextBatch(queue.proformas, this.reducedBatchSizeByApp.get(queue.appId) ?? MAX_BATCH.proformas);
        const startedAtMs = performance.now();
        try {
          changedCount += await this.expire(queue, batch);
          await setTimeout((performance.now() - startedAtMs) * PAUSE_RATIO);
        } catch (error) {
          const [proforma] = batch;
          if (batch.length === 1 && proforma) failures.push({ appId: queue.appId, id: proforma.id, error });
          else hasHalvedBatch = true;
          this.fail(queue, batch, performance.now() - startedAtMs);
        }
      }
      queues = queues.filter(({ proformas }) => proformas.length > 0);
    }
    return { changedCount, failures, hasMore: changedCount > 0 || hasHalvedBatch };
  }

  /** Adds the number of failed proformas to the limits, because failed proformas could otherwise fill every result. */
  private async findDue(): Promise<readonly DueProforma[]> {
    const { size } = this.failedIds;
    const dueProformas = await this.proformas.due(this.clock.now(), {
      perApp: MAX_PROFORMAS_PER_RUN.perApp + size,
      overall: MAX_PROFORMAS_PER_RUN.overall + size,
    });
    const ids = new Set(dueProformas.map(({ id }) => id));
    for (const id of this.failedIds) if (!ids.has(id)) this.failedIds.delete(id);
    return dueProformas;
  }

  private queuesOf(dueProformas: readonly DueProforma[]): readonly AppQueue[] {
    const hasFailed = ({ id }: DueProforma): boolean => this.failedIds.has(id);
    const byApp = new Map<number, DueProforma[]>();
    for (const proforma of [...dueProformas.filter((due) => !hasFailed(due)), ...dueProformas.filter(hasFailed)]) {
      const appProformas = byApp.get(proforma.appId);
      if (appProformas) appProformas.push(proforma);
      else byApp.set(proforma.appId, [proforma]);
    }
    return [...byApp].map(([appId, proformas]) => ({ appId, proformas, failureCount: 0 }));
  }

  private async expire(queue: AppQueue, batch: readonly DueProforma[]): Promise<number> {
    const app = await this.apps.context(queue.appId);
    const ids = batch.map(({ id }) => id);
    const changedCount = app ? await this.actions.expire(app, ids) : 0;
    for (const id of ids) this.failedIds.delete(id);
    const size = (this.reducedBatchSizeByApp.get(queue.appId) ?? MAX_BATCH.proformas) * 2;
    if (size < MAX_BATCH.proformas) this.reducedBatchSizeByApp.set(queue.appId, size);
    else this.reducedBatchSizeByApp.delete(queue.appId);
    queue.proformas = queue.proformas.slice(batch.length);
    return changedCount;
  }

  private fail(queue: AppQueue, batch: readonly DueProforma[], durationMs: number): void {
    const [proforma] = batch;
    if (batch.length === 1 && proforma) {
      this.failedIds.add(proforma.id);
      queue.proformas = queue.proformas.slice(1);
    }
    this.reducedBatchSizeByApp.set(queue.appId, Math.max(1, Math.floor(batch.length / 2)));
    queue.failureCount += 1;
    if (durationMs >= FAILURE_LIMIT.slowMs || queue.failureCount === FAILURE_LIMIT.count) queue.proformas = [];
  }
}

function nextBatch(proformas: readonly DueProforma[], maxSize: number): readonly DueProforma[] {
  let lines = 0;
  const end = proformas.findIndex(
    (proforma, index) => index === maxSize || ((lines += proforma.lines) > MAX_BATCH.lines && index > 0),
  );
  return end < 0 ? proformas : proformas.slice(0, end);
}

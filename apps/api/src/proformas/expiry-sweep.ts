import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@back-office/kernel';
import type { DueProforma, ProformaOrders } from '@back-office/proforma';
import type { AppContext } from '@back-office/apps';
import type { ProformaActions } from './proforma-actions.js';

/** Proformas of one run. */
const MAX_DUE = { perApp: 1_000, overall: 10_000 };
/** Limits both, since a proforma may have a handful of lines or thousands. */
const MAX_BATCH = { proformas: 100, lines: 1_000 };
/** Pause after a batch, as a share of its duration: it leaves the database to calls. */
const PAUSE_RATIO = 0.75;
/** One slow failure, or this many fast ones, puts an app off until the next run. */
const FAILURE_LIMIT = { slowMs: 500, count: 20 };

export interface AppContexts {
  context(appId: number): Promise<AppContext | undefined>;
}

/** A proforma that failed in a batch of its own. */
export interface FailedExpiry {
  readonly appId: number;
  readonly id: number;
  readonly error: unknown;
}

export interface SweepResult {
  /** Number of proformas. */
  readonly changed: number;
  readonly failures: readonly FailedExpiry[];
  /** The next run should follow at once. */
  readonly more: boolean;
}

interface AppQueue {
  readonly appId: number;
  waiting: readonly DueProforma[];
  failureCount: number;
}

/**
 * Expires due proformas, one batch of each app in turn. Several processes may sweep at once: row locks divide the work. A
 * failed batch is halved, down to a single proforma, which is skipped and comes last in the next run.
 */
export class ExpirySweep {
  /** Reduced batch sizes of apps with failures, by app id. */
  private readonly batchSizes = new Map<number, number>();
  /** Ids that failed in a batch of their own. */
  private readonly failedIds = new Set<number>();

  constructor(
    private readonly proformas: Pick<ProformaOrders, 'due'>,
    private readonly actions: Pick<ProformaActions, 'expire'>,
    private readonly apps: AppContexts,
    private readonly clock: Clock,
  ) {}

  async run(stopping?: AbortSignal): Promise<SweepResult> {
    const failures: FailedExpiry[] = [];
    let [changed, isHalved] = [0, false];
    let queues = this.queuesOf(await this.due());
    while (queues.length > 0 && !stopping?.aborted) {
      for (const queue of queues) {
        if (stopping?.aborted) break;
        const batch = nextBatch(queue.waiting, this.batchSizes.get(queue.appId) ?? MAX_BATCH.proformas);
        const started = performance.now();
        try {
          changed += await this.expire(queue, batch);
          await setTimeout((performance.now() - started) * PAUSE_RATIO);
        } catch (error) {
          const [first] = batch;
          if (batch.length === 1 && first) failures.push({ appId: queue.appId, id: first.id, error });
          else isHalved = true;
          this.fail(queue, batch, performance.now() - started);
        }
      }
      queues = queues.filter(({ waiting }) => waiting.length > 0);
    }
    return { changed, failures, more: changed > 0 || isHalved };
  }

  /** Failed ones are asked for on top of the limits, or enough of them would crowd out all others. */
  private async due(): Promise<readonly DueProforma[]> {
    const { size } = this.failedIds;
    const due = await this.proformas.due(this.clock.now(), {
      perApp: MAX_DUE.perApp + size,
      overall: MAX_DUE.overall + size,
    });
    const ids = new Set(due.map(({ id }) => id));
    for (const id of this.failedIds) if (!ids.has(id)) this.failedIds.delete(id);
    return due;
  }

  private queuesOf(due: readonly DueProforma[]): readonly AppQueue[] {
    const isFailed = ({ id }: DueProforma): boolean => this.failedIds.has(id);
    const byApp = new Map<number, DueProforma[]>();
    for (const each of [...due.filter((one) => !isFailed(one)), ...due.filter(isFailed)]) {
      const known = byApp.get(each.appId);
      if (known) known.push(each);
      else byApp.set(each.appId, [each]);
    }
    return [...byApp].map(([appId, waiting]) => ({ appId, waiting, failureCount: 0 }));
  }

  private async expire(queue: AppQueue, batch: readonly DueProforma[]): Promise<number> {
    const app = await this.apps.context(queue.appId);
    const ids = batch.map(({ id }) => id);
    const changed = app ? await this.actions.expire(app, ids) : 0;
    for (const id of ids) this.failedIds.delete(id);
    const size = (this.batchSizes.get(queue.appId) ?? MAX_BATCH.proformas) * 2;
    if (size < MAX_BATCH.proformas) this.batchSizes.set(queue.appId, size);
    else this.batchSizes.delete(queue.appId);
    queue.waiting = queue.waiting.slice(batch.length);
    return changed;
  }

  private fail(queue: AppQueue, batch: readonly DueProforma[], tookMs: number): void {
    const [first] = batch;
    if (batch.length === 1 && first) {
      this.failedIds.add(first.id);
      queue.waiting = queue.waiting.slice(1);
    }
    this.batchSizes.set(queue.appId, Math.max(1, Math.floor(batch.length / 2)));
    queue.failureCount += 1;
    if (tookMs >= FAILURE_LIMIT.slowMs || queue.failureCount === FAILURE_LIMIT.count) queue.waiting = [];
  }
}

/** At least one proforma, however many lines it has. */
function nextBatch(waiting: readonly DueProforma[], maxSize: number): readonly DueProforma[] {
  let lines = 0;
  const end = waiting.findIndex(
    (each, index) => index === maxSize || ((lines += each.lines) > MAX_BATCH.lines && index > 0),
  );
  return end < 0 ? waiting : waiting.slice(0, end);
}

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@back-office/kernel';
import type { DueProforma, ProformaOrders } from '@back-office/proforma';
import type { AppContext } from '../http/app-context.js';
import type { ProformaActions } from './proforma-actions.js';

/** What one run takes on. */
const DUE = { ofAnApp: 1_000, inAll: 10_000 };
/** A batch ends where the first of both is reached: a proforma may have a handful of lines, or thousands. */
const BATCH = { proformas: 100, lines: 1_000 };
/** Calls of customers come first: after each batch the sweep rests for this part of the time that it took. */
const REST = 0.75;
/** An app whose batches fail waits for the next run after one failure that took its time, or after so many. */
const FAILING = { slowMs: 500, times: 20 };

export interface AppContexts {
  context(appId: number): Promise<AppContext | undefined>;
}

/** A proforma that could not meet its deadline, all by itself. */
export interface FailedExpiry {
  readonly appId: number;
  readonly id: number;
  readonly error: unknown;
}

export interface Swept {
  /** How many proformas changed. */
  readonly changed: number;
  readonly failures: readonly FailedExpiry[];
  /** There may be more to do at once. */
  readonly more: boolean;
}

/** What is due in one app, and how its batches went in this run. */
interface Queue {
  readonly appId: number;
  waiting: readonly DueProforma[];
  timesFailed: number;
}

/**
 * Expires what is due, the apps by turns, one batch each. Any number of nodes may sweep at once: each row is taken by
 * one of them. A batch that fails holds up nobody else: it is halved, down to the single proforma, which is passed over
 * and comes last in the next run.
 */
export class ExpirySweep {
  /** How many proformas an app's next batch has, where its last ones failed. */
  private readonly sizes = new Map<number, number>();
  /** Those that failed by themselves when they were last tried. */
  private readonly failed = new Set<number>();

  constructor(
    private readonly orders: Pick<ProformaOrders, 'due'>,
    private readonly actions: Pick<ProformaActions, 'expire'>,
    private readonly apps: AppContexts,
    private readonly clock: Clock,
  ) {}

  async run(stopping?: AbortSignal): Promise<Swept> {
    const failures: FailedExpiry[] = [];
    let [changed, halved] = [0, false];
    let queues = this.queuesOf(await this.due());
    while (queues.length > 0 && !stopping?.aborted) {
      for (const queue of queues) {
        if (stopping?.aborted) break;
        const batch = batchOf(queue.waiting, this.sizes.get(queue.appId) ?? BATCH.proformas);
        const started = performance.now();
        try {
          changed += await this.expire(queue, batch);
          await setTimeout((performance.now() - started) * REST);
        } catch (error) {
          const [first] = batch;
          if (batch.length === 1 && first) failures.push({ appId: queue.appId, id: first.id, error });
          else halved = true;
          this.fail(queue, batch, performance.now() - started);
        }
      }
      queues = queues.filter(({ waiting }) => waiting.length > 0);
    }
    return { changed, failures, more: changed > 0 || halved };
  }

  /** Those that failed do not count, or enough of them would keep all others away. */
  private async due(): Promise<readonly DueProforma[]> {
    const { size } = this.failed;
    const due = await this.orders.due(this.clock.now(), { ofAnApp: DUE.ofAnApp + size, inAll: DUE.inAll + size });
    const ids = new Set(due.map(({ id }) => id));
    for (const id of this.failed) if (!ids.has(id)) this.failed.delete(id);
    return due;
  }

  private queuesOf(due: readonly DueProforma[]): readonly Queue[] {
    const isFailed = ({ id }: DueProforma): boolean => this.failed.has(id);
    const byApp = new Map<number, DueProforma[]>();
    for (const each of [...due.filter((one) => !isFailed(one)), ...due.filter(isFailed)]) {
      const known = byApp.get(each.appId);
      if (known) known.push(each);
      else byApp.set(each.appId, [each]);
    }
    return [...byApp].map(([appId, waiting]) => ({ appId, waiting, timesFailed: 0 }));
  }

  private async expire(queue: Queue, batch: readonly DueProforma[]): Promise<number> {
    const app = await this.apps.context(queue.appId);
    const ids = batch.map(({ id }) => id);
    const changed = app ? await this.actions.expire(app, ids) : 0;
    for (const id of ids) this.failed.delete(id);
    const size = (this.sizes.get(queue.appId) ?? BATCH.proformas) * 2;
    if (size < BATCH.proformas) this.sizes.set(queue.appId, size);
    else this.sizes.delete(queue.appId);
    queue.waiting = queue.waiting.slice(batch.length);
    return changed;
  }

  private fail(queue: Queue, batch: readonly DueProforma[], tookMs: number): void {
    const [first] = batch;
    if (batch.length === 1 && first) {
      this.failed.add(first.id);
      queue.waiting = queue.waiting.slice(1);
    }
    this.sizes.set(queue.appId, Math.max(1, Math.floor(batch.length / 2)));
    queue.timesFailed += 1;
    if (tookMs >= FAILING.slowMs || queue.timesFailed === FAILING.times) queue.waiting = [];
  }
}

/** At least one, however many lines it has. */
function batchOf(waiting: readonly DueProforma[], most: number): readonly DueProforma[] {
  let lines = 0;
  const end = waiting.findIndex((each, place) => place === most || ((lines += each.lines) > BATCH.lines && place > 0));
  return end < 0 ? waiting : waiting.slice(0, end);
}

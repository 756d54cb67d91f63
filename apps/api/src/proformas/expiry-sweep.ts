import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@back-office/kernel';
import type { ProformaOrders } from '@back-office/proforma';
import type { AppContext } from '../http/app-context.js';
import type { ProformaActions } from './proforma-actions.js';

const DUE_AT_ONCE = 2_000;
const LOCKED_AT_ONCE = 100;
/** Calls of customers come first: after each batch the sweep rests for this part of the time that it took. */
const REST = 0.75;

export interface AppContexts {
  context(appId: number): Promise<AppContext | undefined>;
}

/** Expires what is due, app by app. Any number of nodes may sweep at once: each row is taken by one of them. */
export class ExpirySweep {
  constructor(
    private readonly orders: ProformaOrders,
    private readonly actions: ProformaActions,
    private readonly apps: AppContexts,
    private readonly clock: Clock,
  ) {}

  /** Answers how many proformas changed; with a full batch there may be more to do at once. */
  async run(stopping?: AbortSignal): Promise<{ readonly changed: number; readonly more: boolean }> {
    const due = await this.orders.due(this.clock.now(), DUE_AT_ONCE);
    let changed = 0;
    for (const [appId, ids] of byApp(due)) changed += await this.expire(appId, ids, stopping);
    return { changed, more: due.length === DUE_AT_ONCE && changed > 0 };
  }

  private async expire(appId: number, ids: readonly number[], stopping: AbortSignal | undefined): Promise<number> {
    const app = await this.apps.context(appId);
    let changed = 0;
    for (let from = 0; app && from < ids.length && !stopping?.aborted; from += LOCKED_AT_ONCE) {
      const started = performance.now();
      changed += await this.actions.expire(app, ids.slice(from, from + LOCKED_AT_ONCE));
      await setTimeout((performance.now() - started) * REST);
    }
    return changed;
  }
}

function byApp(due: readonly { readonly appId: number; readonly id: number }[]): Map<number, number[]> {
  const apps = new Map<number, number[]>();
  for (const { appId, id } of due) apps.set(appId, [...(apps.get(appId) ?? []), id]);
  return apps;
}

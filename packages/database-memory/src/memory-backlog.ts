import type { Backlog, BacklogFigures, WaitingWork } from '@back-office/database';
import { dueAt, isOpen } from '@back-office/proforma';
import { NO_APP_ID } from './apps/memory-apps.js';
import type { State } from './state.js';

const MS_PER_SECOND = 1_000;

export class MemoryBacklog implements Backlog {
  constructor(private readonly state: State) {}

  async figures(now: Date): Promise<BacklogFigures> {
    const { proformas, refunds, jobs, stockReservations } = this.state;
    const openProformas = proformas.appIds().flatMap((appId) => proformas.all(appId).filter(isOpen));
    const deadlines = openProformas.flatMap((proforma) => dueAt(proforma) ?? []).filter((deadline) => deadline <= now);
    const attemptTimes = refunds
      .appIds()
      .flatMap((appId) => refunds.all(appId).map((refund) => refund.next_attempt_at));
    const waitingJobs = jobs.all(NO_APP_ID).filter(({ is_running: isRunning }) => !isRunning);
    const dueJobs = waitingJobs.filter((job) => job.attempts < job.max_attempts && job.run_at <= now);
    return {
      openProformas: countBy(openProformas.map(({ status }) => status)),
      overdueProformas: waitingWork(deadlines, now),
      reservedLines: stockReservations
        .appIds()
        .reduce((count, appId) => count + stockReservations.all(appId).length, 0),
      pendingRefunds: waitingWork(attemptTimes, now),
      dueJobs: waitingWork(
        dueJobs.map(({ run_at: runAt }) => runAt),
        now,
      ),
      failedJobs: waitingJobs.filter((job) => job.attempts >= job.max_attempts).length,
    };
  }
}

function countBy<Key extends string>(keys: readonly Key[]): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

function waitingWork(dueTimes: readonly Date[], now: Date): WaitingWork {
  const oldestMs = Math.min(...dueTimes.map((at) => at.getTime()), now.getTime());
  return { count: dueTimes.length, dueForSeconds: (now.getTime() - oldestMs) / MS_PER_SECOND };
}

import { WORKER_ACTOR, type Actor, type AuditRecord } from '@back-office/apps';
import type { AuditEntry } from '@back-office/kernel';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { State } from '../state.js';

const actorStorage = new AsyncLocalStorage<Actor>();

export function runAs<Result>(actor: Actor, work: () => Result): Result {
  return actorStorage.run(actor, work);
}

/** Must run inside the transaction of the change. */
export function audit(state: State, appId: number, at: Date, entries: readonly AuditEntry[]): void {
  for (const { action, subjectId = null, before = null, after = null } of entries) {
    // The round trip through JSON gives the values that a database would store.
    const values = JSON.parse(JSON.stringify({ before, after })) as Pick<AuditRecord, 'before' | 'after'>;
    state.auditLog.insert(appId, { ...(actorStorage.getStore() ?? WORKER_ACTOR), at, action, subjectId, ...values });
  }
}

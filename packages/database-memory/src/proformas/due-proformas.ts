import { dueAt, expires, type DueProforma, type Proforma, type ProformaOrders } from '@back-office/proforma';
import { NO_APP_ID } from '../apps/memory-apps.js';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';

interface DueEntry extends DueProforma {
  readonly at: number;
}

/** Apps take turns: the first due proforma of every app comes before the second one of any app. */
export function dueProformas(
  state: State,
  now: Date,
  { perApp, overall }: Parameters<ProformaOrders['due']>[1],
): DueProforma[] {
  const proformasWithTurn = state.proformas.appIds().flatMap((appId) => {
    const overdueProformas = deadlinesOf(state, appId).filter(({ at }) => at <= now.getTime());
    const sortedProformas = sortBy(overdueProformas, [({ at }) => at, ({ id }) => id]);
    return sortedProformas.slice(0, perApp).map((dueEntry, turn) => ({ ...dueEntry, turn }));
  });
  const selectedProformas = sortBy(proformasWithTurn, [({ turn }) => turn, ({ at }) => at]).slice(0, overall);
  return selectedProformas.map(({ appId, id, lines }) => ({ appId, id, lines }));
}

function deadlinesOf({ apps, proformas }: State, appId: number): DueEntry[] {
  const expirePaid = apps.get(NO_APP_ID, appId)?.settings.proforma?.expire_paid === true;
  const deadlineOf = (proforma: Proforma): Date | null =>
    expirePaid && expires(proforma.status) ? proforma.expiresAt : dueAt(proforma);
  return proformas.all(appId).flatMap((proforma) => {
    const deadline = deadlineOf(proforma);
    return deadline === null ? [] : [{ appId, id: proforma.id, lines: proforma.lines.length, at: deadline.getTime() }];
  });
}

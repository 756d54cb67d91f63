import { EXPIRING_STATUSES, FINAL_STATUSES, OPEN_STATUSES, statusId, type ProformaStatus } from '@back-office/proforma';

function idsOf(statuses: readonly ProformaStatus[]): string {
  return statuses.map(statusId).join(', ');
}

/** Ids as a list for `in (…)`. */
export const OPEN_IDS = idsOf(OPEN_STATUSES);
export const FINAL_IDS = idsOf(FINAL_STATUSES);
export const EXPIRING_IDS = idsOf(EXPIRING_STATUSES);
export const WITHDRAWN_IDS = idsOf(['canceled', 'expired']);

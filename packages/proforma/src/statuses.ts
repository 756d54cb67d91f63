export interface StatusDecisions {
  readonly name: string;
  /** The place in the list, counted from 1. Never changes, because databases store it. */
  readonly id: number;
  /** Color for clients. */
  readonly color: string;
  /** Final statuses never change, and hold neither stock nor vouchers. */
  readonly isFinal: boolean;
  /** Whether a proforma of this status expires at its deadline. */
  readonly expires: boolean;
}

/** All decisions about a status. SQL takes the ids from here. */
const STATUS_LIST = [
  { name: 'draft', id: 1, color: '#9e9e9e', isFinal: false, expires: true },
  { name: 'awaiting_payment', id: 2, color: '#ffb300', isFinal: false, expires: true },
  { name: 'paid', id: 3, color: '#43a047', isFinal: false, expires: true },
  { name: 'confirmed', id: 4, color: '#1e88e5', isFinal: false, expires: true },
  { name: 'partial_confirmed', id: 5, color: '#8e24aa', isFinal: false, expires: true },
  { name: 'converted', id: 6, color: '#00897b', isFinal: true, expires: false },
  { name: 'canceled', id: 7, color: '#e53935', isFinal: true, expires: false },
  { name: 'expired', id: 8, color: '#6d4c41', isFinal: true, expires: false },
] as const satisfies readonly StatusDecisions[];

export type ProformaStatus = (typeof STATUS_LIST)[number]['name'];

const DECISIONS = new Map<ProformaStatus, StatusDecisions>(STATUS_LIST.map((status) => [status.name, status]));

export const STATUSES: readonly ProformaStatus[] = STATUS_LIST.map(({ name }) => name);
export const FINAL_STATUSES = STATUSES.filter(isFinal);
export const OPEN_STATUSES = STATUSES.filter((status) => !isFinal(status));
export const EXPIRING_STATUSES = STATUSES.filter(expires);

function decisionsOf(status: ProformaStatus): StatusDecisions {
  return DECISIONS.get(status) as StatusDecisions;
}

export function isFinal(status: ProformaStatus): boolean {
  return decisionsOf(status).isFinal;
}

export function expires(status: ProformaStatus): boolean {
  return decisionsOf(status).expires;
}

export function statusId(status: ProformaStatus): number {
  return decisionsOf(status).id;
}

export function statusColor(status: ProformaStatus): string {
  return decisionsOf(status).color;
}

export function statusOfId(id: number): ProformaStatus {
  const status = STATUSES.find((each) => statusId(each) === id);
  if (status === undefined) throw new Error(`No status has the id ${id}`);
  return status;
}

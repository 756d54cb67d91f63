import { isRefusal, type Refusal } from '@back-office/kernel';
import type { Proforma } from './proforma.js';
import { FINAL_STATUSES, isFinal, OPEN_STATUSES, type ProformaStatus } from './statuses.js';
import { ALREADY_FINAL } from './refusals.js';

export type Action =
  | 'pay'
  | 'begin_card_payment'
  | 'card_result'
  | 'warehouse_confirm'
  | 'convert'
  | 'cancel'
  | 'refund_order'
  | 'expire'
  | 'edit'
  | 'resolve_alerts'
  | 'record_refund'
  | 'retry_refund';

export interface Transition {
  readonly from: readonly ProformaStatus[];
  readonly to: readonly (ProformaStatus | 'unchanged')[];
}

const ANY_STATUS = [...OPEN_STATUSES, ...FINAL_STATUSES];

/** If an action has no transition from a status, the action is refused, because the proforma is already final. */
export const TRANSITIONS: Readonly<Record<Action, readonly Transition[]>> = {
  pay: [{ from: OPEN_STATUSES, to: ['paid', 'unchanged'] }],
  begin_card_payment: [
    { from: ['draft'], to: ['awaiting_payment'] },
    { from: OPEN_STATUSES.filter((status) => status !== 'draft'), to: ['unchanged'] },
  ],
  card_result: [
    { from: ['awaiting_payment'], to: ['draft'] },
    { from: OPEN_STATUSES, to: ['paid', 'unchanged'] },
    { from: FINAL_STATUSES, to: ['unchanged'] },
  ],
  warehouse_confirm: [{ from: OPEN_STATUSES, to: ['confirmed', 'partial_confirmed'] }],
  convert: [{ from: OPEN_STATUSES, to: ['converted'] }],
  cancel: [{ from: OPEN_STATUSES, to: ['canceled'] }],
  refund_order: [{ from: ['converted'], to: ['unchanged'] }],
  expire: [{ from: OPEN_STATUSES, to: ['expired', 'unchanged'] }],
  edit: [{ from: OPEN_STATUSES, to: ['unchanged'] }],
  resolve_alerts: [{ from: ANY_STATUS, to: ['unchanged'] }],
  record_refund: [{ from: ANY_STATUS, to: ['unchanged'] }],
  retry_refund: [{ from: ANY_STATUS, to: ['unchanged'] }],
};

export type Guard<Facts> = (proforma: Proforma, facts: Facts) => Refusal | undefined;

export interface GuardedAction<Facts> {
  readonly action: Action;
  readonly guards: readonly Guard<Facts>[];
  readonly apply: (proforma: Proforma, facts: Facts) => Proforma;
}

export function decide<Facts>(
  guardedAction: GuardedAction<Facts>,
  proforma: Proforma,
  facts: Facts,
): Proforma | Refusal {
  const nextStatuses = TRANSITIONS[guardedAction.action].flatMap((transition) =>
    transition.from.includes(proforma.status) ? transition.to : [],
  );
  if (nextStatuses.length === 0) return ALREADY_FINAL;
  for (const guard of guardedAction.guards) {
    const refusal = guard(proforma, facts);
    if (isRefusal(refusal)) return refusal;
  }
  const next = guardedAction.apply(proforma, facts);
  if (
    !nextStatuses.includes(
      next.status === proforma.status && nextStatuses.includes('unchanged') ? 'unchanged' : next.status,
    )
  ) {
    throw new Error(`${guardedAction.action} may not lead from ${proforma.status} to ${next.status}`);
  }
  return next;
}

export function isOpen(proforma: Pick<Proforma, 'status'>): boolean {
  return !isFinal(proforma.status);
}

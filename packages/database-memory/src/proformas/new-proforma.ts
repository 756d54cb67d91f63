import { createdProformaEvents, reservedQty, type Proforma } from '@back-office/proforma';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { bookReservations } from '../stock/reservations.js';
import { assignPaymentIds } from './stored-proformas.js';

export function hasProformaNumber({ proformas }: State, appId: number, number: string): boolean {
  const existingProforma = proformas.find(appId, (proforma) => proforma.number === number);
  return existingProforma !== undefined;
}

export function insertProforma(state: State, appId: number, draft: Proforma): Proforma {
  const now = draft.insertedAt;
  const lines = draft.lines.map((line) => ({ ...line, id: state.proformaItemIds.next() }));
  const fees = draft.fees.map((fee) => ({ ...fee, id: state.proformaItemIds.next() }));
  const proforma = state.proformas.insert(appId, {
    ...draft,
    lines,
    fees,
    payments: assignPaymentIds(state, draft.payments),
  });
  const reservations = lines.map((line) => {
    const { id: lineId, variantId, warehouseId } = line;
    const qty = reservedQty(proforma, line);
    return { lineId, variantId, warehouseId, qty, delta: qty, reference: proforma.number };
  });
  bookReservations(state, appId, reservations, now);
  holdVouchers(state, appId, proforma, now);
  const evaluation = state.evaluations.get(appId, proforma.evaluationId);
  if (evaluation) state.evaluations.put(appId, { ...evaluation, consumed_at: now });
  publish(state, appId, now, createdProformaEvents(draft), proforma.id);
  return proforma;
}

function holdVouchers({ vouchers }: State, appId: number, { id, payments }: Proforma, now: Date): void {
  for (const { voucherId } of payments) {
    const voucher = vouchers.get(appId, voucherId ?? 0);
    if (voucher) vouchers.put(appId, { ...voucher, held_by: id, updated_at: now });
  }
}

import type { Alert, Payment, Proforma } from './proforma.js';

export function withAlert(
  proforma: Proforma,
  kind: Alert['kind'],
  message: string,
  details: Alert['details'],
  now: Date,
): Proforma {
  const alert: Alert = { kind, message, details, resolvedAt: null, insertedAt: now };
  return { ...proforma, alerts: [...proforma.alerts, alert], updatedAt: now };
}

/** Money came that nothing here gives back: a person has to, as with a refund that failed. Told once for a payment. */
export function withUnwantedMoney(proforma: Proforma, payment: Payment, message: string, now: Date): Proforma {
  const { id, method, reference } = payment;
  if (proforma.alerts.some(({ details }) => details['payment_id'] === id)) return proforma;
  return withAlert(proforma, 'refund_failed', message, { payment_id: id, payment_method: method, reference }, now);
}

export function openAlerts(proforma: Pick<Proforma, 'alerts'>): number {
  return proforma.alerts.filter((alert) => alert.resolvedAt === null).length;
}

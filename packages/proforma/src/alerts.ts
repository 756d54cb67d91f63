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

const UNEXPECTED_PAYMENT_MESSAGES = {
  settled_after_failure: 'A card payment was settled after it had failed: it does not count, and is not refunded',
  order_canceled: 'A card payment was settled for an order that is cancelled: it is not refunded',
} as const;

/** Adds an alert that asks a person to refund the payment; at most one alert per payment. */
export function alertUnexpectedPayment(
  proforma: Proforma,
  payment: Payment,
  reason: keyof typeof UNEXPECTED_PAYMENT_MESSAGES,
  now: Date,
): Proforma {
  const { id, method, reference, amount } = payment;
  if (proforma.alerts.some(({ details }) => details['payment_id'] === id)) return proforma;
  const details = { reason, payment_id: id, payment_method: method, reference, amount };
  return withAlert(proforma, 'refund_failed', UNEXPECTED_PAYMENT_MESSAGES[reason], details, now);
}

export function resolvePaymentAlerts(proforma: Proforma, paymentIds: ReadonlySet<unknown>, now: Date): Proforma {
  const alerts = proforma.alerts.map((alert) =>
    alert.resolvedAt === null && paymentIds.has(alert.details['payment_id']) ? { ...alert, resolvedAt: now } : alert,
  );
  return { ...proforma, alerts };
}

export function countOpenAlerts(proforma: Pick<Proforma, 'alerts'>): number {
  return proforma.alerts.filter((alert) => alert.resolvedAt === null).length;
}

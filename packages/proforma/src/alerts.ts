import type { Alert, Proforma } from './proforma.js';

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

export function openAlerts(proforma: Pick<Proforma, 'alerts'>): number {
  return proforma.alerts.filter((alert) => alert.resolvedAt === null).length;
}

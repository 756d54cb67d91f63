import { isRefusal, isSound, lengthOf, LONGEST_TEXT, type Refusal } from '@back-office/kernel';
import type { Alert, Proforma } from './proforma.js';
import { ALERT_NOT_FOUND, INVALID_COMMENT, INVALID_TAGS } from './refusals.js';
import { decide, type Guard } from './transitions.js';

const MOST_TAGS = 50;
const LONGEST_TAG = 100;

/** The editable parts as the client sent them; `undefined` means not sent, and the part stays. */
export interface Edit {
  readonly tags?: unknown;
  readonly comment?: unknown;
  /** `null` likewise means not sent. */
  readonly alerts?: readonly AlertResolution[] | null;
}

export interface AlertResolution {
  /** Any whole number; the rule below decides whether an alert has it. */
  readonly index: number;
  readonly resolved: true;
}

export interface EditFacts extends Edit {
  readonly now: Date;
}

const tagsAreTags: Guard<EditFacts> = (_, { tags }) => (tags === undefined || areTags(tags) ? undefined : INVALID_TAGS);

const commentIsText: Guard<EditFacts> = (_, { comment }) =>
  comment === undefined || comment === null || isText(comment, LONGEST_TEXT) ? undefined : INVALID_COMMENT;

const alertsExist: Guard<EditFacts> = (proforma, { alerts }) =>
  (alerts ?? []).every(({ index }) => proforma.alerts[index] !== undefined) ? undefined : ALERT_NOT_FOUND;

/** Tags and comment change while the proforma is open; alerts can be resolved always. One bad part changes nothing. */
export function edit(proforma: Proforma, facts: EditFacts): Proforma | Refusal {
  const touchesRecord = facts.tags !== undefined || facts.comment !== undefined;
  const edited = touchesRecord
    ? decide({ action: 'edit', guards: [tagsAreTags, commentIsText], apply: editRecord }, proforma, facts)
    : proforma;
  if (isRefusal(edited)) return edited;
  return decide({ action: 'resolve_alerts', guards: [alertsExist], apply: resolveAlerts }, edited, facts);
}

function editRecord(proforma: Proforma, { tags, comment, now }: EditFacts): Proforma {
  return {
    ...proforma,
    tags: tags === undefined ? proforma.tags : [...new Set(tags as string[])],
    comment: comment === undefined ? proforma.comment : (comment as string | null),
    updatedAt: now,
  };
}

function resolveAlerts(proforma: Proforma, { alerts, now }: EditFacts): Proforma {
  const indexes = new Set((alerts ?? []).map((each) => each.index));
  const resolve = (alert: Alert, index: number): Alert =>
    indexes.has(index) && alert.resolvedAt === null ? { ...alert, resolvedAt: now } : alert;
  const resolved = proforma.alerts.map(resolve);
  const changed = resolved.some((alert, index) => alert !== proforma.alerts[index]);
  return changed ? { ...proforma, alerts: resolved, updatedAt: now } : proforma;
}

export function areTags(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length <= MOST_TAGS && value.every((tag) => tag !== '' && isText(tag, LONGEST_TAG))
  );
}

export function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && isSound(value) && lengthOf(value) <= longest;
}

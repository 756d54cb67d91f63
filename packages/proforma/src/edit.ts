import {
  changedFields,
  fieldsOf,
  isRefusal,
  isStorable,
  characterCount,
  MAX_TEXT_LENGTH,
  SALE_NOTES,
  type NoteColumns,
  type Refusal,
} from '@back-office/kernel';
import type { Alert, Proforma } from './proforma.js';
import { ALERT_NOT_FOUND, INVALID_COMMENT, INVALID_TAGS } from './refusals.js';
import { decide, type Guard } from './transitions.js';

const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 100;

/** Requested values before validation. An `undefined` value changes nothing. */
export interface Edit extends Partial<Readonly<Record<keyof NoteColumns, unknown>>> {
  readonly tags?: unknown;
  readonly alerts?: readonly AlertResolution[] | null;
}

export interface AlertResolution {
  readonly index: number;
  readonly resolved: true;
}

export interface EditFacts extends Edit {
  readonly now: Date;
}

const checkTags: Guard<EditFacts> = (_, { tags }) => (tags === undefined || isTagList(tags) ? undefined : INVALID_TAGS);

function sentNotes(facts: Edit): (keyof NoteColumns)[] {
  return SALE_NOTES.filter((note) => facts[note] !== undefined);
}

const checkNotes: Guard<EditFacts> = (_, facts) =>
  sentNotes(facts).every((note) => facts[note] === null || isText(facts[note], MAX_TEXT_LENGTH))
    ? undefined
    : INVALID_COMMENT;

const checkAlerts: Guard<EditFacts> = (proforma, { alerts }) =>
  (alerts ?? []).every(({ index }) => proforma.alerts[index] !== undefined) ? undefined : ALERT_NOT_FOUND;

/**
 * Changes tags and notes only while the proforma is open; resolves alerts in any status. If one value is invalid,
 * refuses the whole edit.
 */
export function edit(proforma: Proforma, facts: EditFacts): Proforma | Refusal {
  const hasRecordChanges = facts.tags !== undefined || sentNotes(facts).length > 0;
  const editedProforma = hasRecordChanges
    ? decide({ action: 'edit', guards: [checkTags, checkNotes], apply: editRecord }, proforma, facts)
    : proforma;
  if (isRefusal(editedProforma)) return editedProforma;
  return decide({ action: 'resolve_alerts', guards: [checkAlerts], apply: resolveAlerts }, editedProforma, facts);
}

function editRecord(proforma: Proforma, facts: EditFacts): Proforma {
  const { tags, now } = facts;
  const editedProforma = {
    ...proforma,
    ...fieldsOf(facts as Edit & NoteColumns, sentNotes(facts)),
    tags: tags === undefined ? proforma.tags : [...new Set(tags as string[])],
  };
  const isChanged = Object.keys(changedFields(proforma, editedProforma).after).length > 0;
  return isChanged ? { ...editedProforma, updatedAt: now } : proforma;
}

function resolveAlerts(proforma: Proforma, { alerts, now }: EditFacts): Proforma {
  const indexes = new Set((alerts ?? []).map((alert) => alert.index));
  const resolve = (alert: Alert, index: number): Alert =>
    indexes.has(index) && alert.resolvedAt === null ? { ...alert, resolvedAt: now } : alert;
  const nextAlerts = proforma.alerts.map(resolve);
  const isChanged = nextAlerts.some((alert, index) => alert !== proforma.alerts[index]);
  return isChanged ? { ...proforma, alerts: nextAlerts, updatedAt: now } : proforma;
}

export function isTagList(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length <= MAX_TAGS && value.every((tag) => tag !== '' && isText(tag, MAX_TAG_LENGTH))
  );
}

export function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && isStorable(value) && characterCount(value) <= maxLength;
}

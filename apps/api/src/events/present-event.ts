import { subjectOf, type EventRecord } from '@back-office/events';
import { formatDateTime } from '@back-office/kernel';
import type { ShownEvent } from './event-shapes.js';

const SEQUENCE_DIGITS = 16;

/** Returns the envelope of CloudEvents, with the record if there is one. */
export function presentEvent(appId: number, event: EventRecord, records: ReadonlyMap<string, object>): ShownEvent {
  const subject = subjectOf(event);
  return {
    specversion: '1.0',
    id: String(event.id),
    source: `/apps/${appId}`,
    type: event.type,
    time: `${formatDateTime(event.at)}Z`,
    subject,
    sequence: String(event.position).padStart(SEQUENCE_DIGITS, '0'),
    ...(event.partId !== null && { partid: event.partId }),
    datacontenttype: 'application/json',
    data: records.get(subject) ?? event.removed,
  };
}

import type { Rig } from './rig.js';
import { DELIVERED_EVENTS } from './verify.query.js';

interface StoredEvent {
  readonly id: string;
  readonly subject: string;
}

/** Compares the events of the database with those that the receiver of the shop has accepted. */
export async function checkEvents(rig: Rig): Promise<string[]> {
  const stored = await rig.rows<StoredEvent>(DELIVERED_EVENTS, [rig.caller.appId, rig.firstEventPosition]);
  const storedIds = new Set(stored.map(({ id }) => id));
  const acceptedIds = new Set(rig.receiver.accepted.map(({ id }) => id));
  const lost = stored.filter(({ id }) => !acceptedIds.has(id));
  const unknown = [...acceptedIds].filter((id) => !storedIds.has(id));
  return [
    ...lost.slice(0, 3).map(({ id, subject }) => `event ${id} of ${subject} was not delivered (${lost.length} in all)`),
    ...unknown.map((id) => `event ${id} was delivered, but is not stored`),
    ...orderBreaches(rig),
  ];
}

/** Repeats may come late, but the first delivery of an event follows those of all earlier events of its record. */
function orderBreaches({ receiver }: Rig): string[] {
  const lastSequences = new Map<string, string>();
  const seenIds = new Set<string>();
  const breaches: string[] = [];
  for (const { id, subject, sequence } of receiver.accepted) {
    if (seenIds.has(id)) continue;
    seenIds.add(id);
    const lastSequence = lastSequences.get(subject) ?? '';
    if (sequence < lastSequence) breaches.push(`event ${id} of ${subject} was delivered after ${lastSequence}`);
    lastSequences.set(subject, sequence > lastSequence ? sequence : lastSequence);
  }
  return breaches;
}

import type { Rig } from './rig.js';
import { DELIVERED_EVENTS } from './verify.query.js';

interface StoredEvent {
  readonly id: string;
  readonly subject: string;
}

/** Compares the stored events with the events that the shop's receiver has accepted. */
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

/** The first deliveries of the events of one record must arrive in order. Repeated deliveries may arrive later. */
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

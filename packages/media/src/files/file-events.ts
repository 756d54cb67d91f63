import type { DomainEvent, EventType } from '@back-office/kernel';

export type FileEventType = Extract<EventType, `file.${string}`>;

export function fileEvents(type: FileEventType, ids: readonly number[]): DomainEvent[] {
  return [...ids].sort((a, b) => a - b).map((recordId) => ({ type, recordId }));
}

export function purgedFileEvents(files: readonly { readonly id: number; readonly key: string }[]): DomainEvent[] {
  return [...files]
    .sort((a, b) => a.id - b.id)
    .map(({ id, key }) => ({ type: 'file.purged', recordId: id, removed: { id, key } }));
}

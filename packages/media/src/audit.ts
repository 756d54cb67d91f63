import { changedRecords, type AuditEntry } from '@back-office/kernel';

const MAX_SHOWN_FILES = 100;

/** The entry contains only ids, because the name of a file may be the name of a person. */
export function fileEntries(action: 'file.delete' | 'file.purge', ids: readonly number[]): AuditEntry[] {
  if (ids.length === 0) return [];
  const files = ids.slice(0, MAX_SHOWN_FILES).map((id) => ({ id }));
  const subjectId = ids.length === 1 ? ids[0] : undefined;
  return [{ action, subjectId, before: { count: ids.length, files } }];
}

export function replaceEntry(fileId: number, version: number): AuditEntry {
  return { action: 'file.replace', subjectId: fileId, after: { version } };
}

export function versionPurgeEntry(fileId: number, version: number): AuditEntry {
  return { action: 'file_version.purge', subjectId: fileId, before: { version } };
}

interface NamedPreset {
  readonly id: number;
  readonly name: string;
}

export function presetEntries(before: readonly NamedPreset[], after: readonly NamedPreset[]): AuditEntry[] {
  const byName = (presets: readonly NamedPreset[]): Map<string, object> =>
    new Map(presets.map(({ id: _id, ...preset }) => [preset.name, preset]));
  const changes = changedRecords(byName(before), byName(after));
  return changes ? [{ action: 'upload_presets.put', ...changes }] : [];
}

export function folderEntry(key: string): AuditEntry {
  return { action: 'folder.delete', before: { key } };
}

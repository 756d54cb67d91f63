import { formatDateTime, formatOptional, isRefusal, isStorable } from '@back-office/kernel';
import {
  FILE_NOT_FOUND,
  publicUrl,
  searchedText,
  stepOf,
  type FileAction,
  type FileResult,
  type FolderPath,
} from '@back-office/media';
import { foldForSearch } from '@back-office/database';
import { createHash } from 'node:crypto';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';
import type { FileRecord } from './records.js';

export function filesOf(state: State, appId: number): FileRecord[] {
  return state.files.all(appId).filter((file) => file.state !== 'receiving');
}

export function activeFiles(state: State, appId: number, folder?: FolderPath): FileRecord[] {
  return filesOf(state, appId).filter(
    (file) => file.state === 'active' && (folder === undefined || file.folder === folder),
  );
}

export function fileOf(state: State, appId: number, id: number): FileRecord | undefined {
  const file = state.files.get(appId, id);
  return file === undefined || file.state === 'receiving' ? undefined : file;
}

export function filesById(state: State, appId: number, ids: readonly number[]): FileRecord[] {
  const idSet = new Set(ids);
  return filesOf(state, appId).filter(({ id }) => idSet.has(id));
}

export function filesByKey(state: State, appId: number, keys: readonly string[]): FileRecord[] {
  const keySet = new Set(keys.filter(isStorable));
  return filesOf(state, appId).filter(({ key }) => keySet.has(key));
}

export function resultsOf(action: FileAction, ids: readonly number[], files: readonly FileRecord[]): FileResult[] {
  const byId = new Map(files.map((file) => [file.id, file]));
  return ids.map((id) => refusalOf(action, byId.get(id)));
}

export function refusalOf(action: FileAction, file: FileRecord | undefined): FileResult {
  const step = file === undefined ? FILE_NOT_FOUND : stepOf(action, file.state);
  return isRefusal(step) ? step : undefined;
}

export function usageCount(state: State, appId: number, key: string): number {
  return state.usages.all(appId).filter((usage) => usage.key === key).length;
}

export function isUsed(state: State, appId: number, key: string): boolean {
  const firstUsage = state.usages.find(appId, (usage) => usage.key === key);
  return firstUsage !== undefined;
}

export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function searchTextOf(file: Pick<FileRecord, 'filename' | 'alt' | 'caption' | 'tags'>): string {
  return foldForSearch(searchedText(file));
}

export interface FileForm {
  readonly hasUrl?: boolean;
  readonly isInTrash?: boolean;
}

export function presentFile(
  state: State,
  appId: number,
  file: FileRecord,
  base: string,
  { hasUrl: withUrl = true, isInTrash: inTrash = false }: FileForm = {},
): object {
  const { id, filename, key, size, mime, width, height, alt, caption, tags, description, version } = file;
  return {
    id,
    filename,
    key,
    ...(withUrl && { url: publicUrl(base, key, version) }),
    folder: file.folder === '' ? null : file.folder,
    size,
    mime,
    width,
    height,
    alt,
    caption,
    tags,
    description,
    version,
    renditions: presentRenditions(state, appId, file, base),
    usage_count: usageCount(state, appId, key),
    hidden: file.hidden,
    hidden_by: file.hidden_by,
    hidden_at: formatOptional(file.hidden_at),
    hidden_note: file.hidden_note,
    source: file.source,
    processing: file.processing,
    last_modified: formatDateTime(file.last_modified),
    inserted_at: formatDateTime(file.inserted_at),
    ...(inTrash && presentTrash(file)),
  };
}

export function fileJson(
  state: State,
  appId: number,
  id: number,
  base: string,
  form: FileForm = {},
): string | undefined {
  const file = fileOf(state, appId, id);
  return file && JSON.stringify(presentFile(state, appId, file, base, form));
}

function presentRenditions(state: State, appId: number, { id, version }: FileRecord, base: string): object[] {
  const listedRenditions = state.renditions
    .all(appId)
    .filter((rendition) => rendition.file_id === id && rendition.version === version && rendition.listed);
  return sortBy(listedRenditions, [({ width }) => width]).map(({ label, width, height, size, key }) => ({
    label,
    width,
    height,
    size,
    key,
    url: publicUrl(base, key, version),
  }));
}

function presentTrash({ deleted_at: deletedAt, deleted_by: deletedBy, purge_at: purgeAt }: FileRecord): object {
  return { deleted_at: formatOptional(deletedAt), deleted_by: deletedBy, purge_at: formatOptional(purgeAt) };
}

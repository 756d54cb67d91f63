import { isRefusal, isStorable } from '@back-office/kernel';
import {
  FILE_NOT_FOUND,
  stepOf,
  type FileAction,
  type FileResult,
  type FileState,
  type FolderPath,
} from '@back-office/media';
import type { Transaction } from '../client-transaction.js';
import { IS_USED_SQL } from './file-columns.js';

/** A locked file that a call names. */
export interface NamedFile {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly folder: FolderPath;
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
  readonly used: boolean;
}

const lockBy = (column: 'id' | 'key'): string => `
  select f.id, f.key, f.state, f.folder, f.filename, f.alt, f.caption, f.tags, ${IS_USED_SQL} as used from cdn_files f
  where f.app_id = $1 and f.${column} = any($2) and f.state <> 'receiving' order by f.id for update of f`;
const BY_ID = lockBy('id');
const BY_KEY = lockBy('key');

export function lockById(transaction: Transaction, appId: number, ids: readonly number[]): Promise<NamedFile[]> {
  transaction.locks('file');
  return transaction.rows<NamedFile>(BY_ID, [appId, ids.filter(Number.isSafeInteger)]);
}

export function lockByKey(transaction: Transaction, appId: number, keys: readonly string[]): Promise<NamedFile[]> {
  transaction.locks('file');
  return transaction.rows<NamedFile>(BY_KEY, [appId, keys.filter(isStorable)]);
}

/** A result for each sent id. */
export function resultsOf(action: FileAction, ids: readonly number[], files: readonly NamedFile[]): FileResult[] {
  const byId = new Map(files.map((file) => [file.id, file]));
  return ids.map((id) => refusalOf(action, byId.get(id)));
}

export function refusalOf(action: FileAction, file: NamedFile | undefined): FileResult {
  const step = file === undefined ? FILE_NOT_FOUND : stepOf(action, file.state);
  return isRefusal(step) ? step : undefined;
}

export function idsOf(files: readonly { readonly id: number }[]): number[] {
  return files.map(({ id }) => id);
}

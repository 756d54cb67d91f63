import { isRefusal, isStorable } from '@back-office/kernel';
import {
  FILE_NOT_FOUND,
  stepOf,
  type FileAction,
  type FileResult,
  type FileState,
  type FolderPath,
} from '@back-office/media';
import type { Transaction } from '../../connection/transaction.js';
import { IS_USED_SQL } from './file-columns.js';

export interface LockedFile {
  readonly id: number;
  readonly key: string;
  readonly state: FileState;
  readonly folder: FolderPath;
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
  readonly isUsed: boolean;
}

const lockStatement = (column: 'id' | 'key'): string => `
  select f.id, f.key, f.state, f.folder, f.filename, f.alt, f.caption, f.tags, ${IS_USED_SQL} as "isUsed" from cdn_files f
  where f.app_id = $1 and f.${column} = any($2) and f.state <> 'receiving' order by f.id for update of f`;
const LOCK_BY_ID = lockStatement('id');
const LOCK_BY_KEY = lockStatement('key');

export function lockById(transaction: Transaction, appId: number, ids: readonly number[]): Promise<LockedFile[]> {
  transaction.locks('file');
  return transaction.rows<LockedFile>(LOCK_BY_ID, [appId, ids.filter(Number.isSafeInteger)]);
}

export function lockByKey(transaction: Transaction, appId: number, keys: readonly string[]): Promise<LockedFile[]> {
  transaction.locks('file');
  return transaction.rows<LockedFile>(LOCK_BY_KEY, [appId, keys.filter(isStorable)]);
}

export function resultsOf(action: FileAction, ids: readonly number[], files: readonly LockedFile[]): FileResult[] {
  const byId = new Map(files.map((file) => [file.id, file]));
  return ids.map((id) => resultOf(action, byId.get(id)));
}

export function resultOf(action: FileAction, file: LockedFile | undefined): FileResult {
  const step = file === undefined ? FILE_NOT_FOUND : stepOf(action, file.state);
  return isRefusal(step) ? step : undefined;
}

export function idsOf(files: readonly { readonly id: number }[]): number[] {
  return files.map(({ id }) => id);
}

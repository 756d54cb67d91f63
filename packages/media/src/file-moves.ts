import type { Refusal } from '@back-office/kernel';
import type { FolderPath } from './folders.js';

/** Result for one of several files: a refusal, or `undefined` on success. */
export type FileResult = Refusal | undefined;

/** Moves files between folders, where names are unique. Returns one result per id, in their order. */
export interface FileMoves {
  /** Moves files into a folder, creating it if missing. Refused per file: missing, in Trash, name taken. */
  move(appId: number, ids: readonly number[], folder: FolderPath): Promise<FileResult[]>;
  /**
   * Restores files from Trash into their folders, recreating missing ones. A file whose name is taken gets another; one
   * outside Trash stays unchanged. Refused per file: missing.
   */
  restore(appId: number, ids: readonly number[]): Promise<FileResult[]>;
}

import type { Refusal } from '@back-office/kernel';
import type { FolderPath } from './folders.js';

/** Is `undefined` on success. */
export type FileResult = Refusal | undefined;

/** Each method returns one result per id, in the order of the ids. Names are unique within a folder. */
export interface FileMoves {
  /**
   * Moves files into a folder, which is created if missing. Refuses a missing file, a file in Trash and a taken name.
   */
  move(appId: number, ids: readonly number[], folder: FolderPath): Promise<FileResult[]>;
  /**
   * Restores files from Trash into their folders and recreates missing folders. A file whose name is taken gets another
   * name. A file outside Trash stays unchanged. Refuses a missing file.
   */
  restore(appId: number, ids: readonly number[]): Promise<FileResult[]>;
}

import type { FileResult } from '../folders/file-moves.js';
import type { DeletionRules } from '../folders/media-folders.js';

/** `delete` and `purge` return one result per file, in the order of the argument. */
export interface MediaTrash {
  /**
   * Moves files to Trash; files that are already in Trash stay there. Refuses a missing file and, if `rules` protect
   * used files, a used file.
   */
  delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<FileResult[]>;
  /**
   * Removes files in Trash permanently and queues the removal of their bytes. Refuses a missing file and a file outside
   * Trash.
   */
  purge(appId: number, ids: readonly number[]): Promise<FileResult[]>;
  /** Purges a batch of expired files of each app; returns their number, which is 0 when none is left. */
  expire(): Promise<number>;
}

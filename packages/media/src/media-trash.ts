import type { FileResult } from './file-moves.js';
import type { DeletionRules } from './media-folders.js';

/** Deletion of files in two steps. Returns one result per key or id, in their order. */
export interface MediaTrash {
  /** Moves files to Trash; those already there stay. Refused per file: missing, in use and kept by the rules. */
  delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<FileResult[]>;
  /** Removes files in Trash for good and queues the removal of their bytes. Refused per file: missing, not in Trash. */
  purge(appId: number, ids: readonly number[]): Promise<FileResult[]>;
  /** Purges a batch of expired files of each app; returns their number, 0 when none is left. */
  expire(): Promise<number>;
}

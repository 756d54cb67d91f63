import type { Refusal } from '@back-office/kernel';
import type { FolderPath } from './folders.js';

export interface Folder {
  readonly id: number;
  readonly path: FolderPath;
  readonly name: string;
  readonly description: string | null;
  readonly files: number;
}

export interface NewFolder {
  readonly name: string;
  readonly path: FolderPath;
  readonly description: string | null;
}

export interface EditedFolder {
  readonly path: FolderPath;
  readonly branch: readonly Folder[];
}

/** An `undefined` field does not change. */
export interface FolderEdit {
  readonly name?: string | undefined;
  readonly parent?: FolderPath | undefined;
  readonly description?: string | null | undefined;
}

export interface DeletionRules {
  readonly trashRetentionDays: number;
  readonly refusesDeleteInUse: boolean;
  /** True when files in Trash stay public. */
  readonly servesTrash: boolean;
}

export interface RemovedBranch {
  readonly deletedFiles: number;
  readonly deletedFolders: number;
}

/** Changes of one app's folders are serialized, because a branch changes as a whole. */
export interface MediaFolders {
  /** Refuses the top level, a missing parent, a taken path, and a name that a sibling has. */
  add(appId: number, folder: NewFolder): Promise<Folder | Refusal>;
  /**
   * Renames, describes or moves a folder and its descendants. The keys of files do not change. Refuses a missing folder
   * or parent, a parent within the folder, a taken name, and a path that becomes too long.
   */
  edit(appId: number, id: number, edit: FolderEdit): Promise<EditedFolder | Refusal>;
  /**
   * Moves the files of a branch to Trash and removes its folders. Refuses a missing folder and, if `rules` protect used
   * files, a branch that contains one.
   */
  remove(appId: number, path: FolderPath, rules: DeletionRules): Promise<RemovedBranch | Refusal>;
}

export interface MediaFolderQueries {
  /**
   * Returns a folder and its descendants, sorted by folded name, then by name and id. For the top level, returns all
   * folders; for a missing folder, none.
   */
  branch(appId: number, path: FolderPath): Promise<Folder[]>;
}

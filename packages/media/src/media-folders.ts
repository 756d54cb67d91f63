import type { Refusal } from '@back-office/kernel';
import type { FolderPath } from './folders.js';

export interface Folder {
  readonly id: number;
  readonly path: FolderPath;
  readonly name: string;
  readonly description: string | null;
  /** Number of visible files directly in it. */
  readonly files: number;
}

export interface NewFolder {
  readonly name: string;
  readonly path: FolderPath;
  readonly description: string | null;
}

/** A folder after an edit. */
export interface EditedFolder {
  readonly path: FolderPath;
  /** The folder and its descendants. */
  readonly branch: readonly Folder[];
}

/** A field that is `undefined` keeps its value. */
export interface FolderEdit {
  readonly name?: string | undefined;
  /** The folder to move into. */
  readonly parent?: FolderPath | undefined;
  readonly description?: string | null | undefined;
}

/** The app's settings for deleting files. */
export interface DeletionRules {
  readonly trashRetentionDays: number;
  readonly refusesDeleteInUse: boolean;
}

export interface RemovedBranch {
  readonly deletedFiles: number;
  readonly deletedFolders: number;
}

/** Folders of the library. Changes of one app's folders are serialized, since a branch changes as a whole. */
export interface MediaFolders {
  /** Refused: the top level, a missing parent, a path or sibling name that is taken. */
  add(appId: number, folder: NewFolder): Promise<Folder | Refusal>;
  /**
   * Renames, describes or moves a folder with its descendants; keys of files stay. Refused: a missing folder or parent,
   * a parent within the folder, a name that is taken, a path that becomes too long.
   */
  edit(appId: number, id: number, edit: FolderEdit): Promise<EditedFolder | Refusal>;
  /** Trashes the files of a branch and removes its folders. Refused: a missing folder, a file in use that the rules keep. */
  remove(appId: number, path: FolderPath, rules: DeletionRules): Promise<RemovedBranch | Refusal>;
}

export interface MediaFolderQueries {
  /** A folder and its descendants by path; all folders for the top level. Empty when the folder is missing. */
  branch(appId: number, path: FolderPath): Promise<Folder[]>;
}

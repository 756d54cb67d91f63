import { isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import {
  joinFolder,
  utf8ByteLength,
  FILE_REFERENCED,
  fileEvents,
  FOLDER_NOT_FOUND,
  FOLDER_TAKEN,
  parseFolderPath,
  INVALID_PARENT,
  isWithin,
  lastSegment,
  MAX_FOLDER_PATH_BYTES,
  rebaseFolder,
  PARENT_NOT_FOUND,
  parentOf,
  folderEntry,
  purgeAt,
  TOP_LEVEL,
  type DeletionRules,
  type EditedFolder,
  type Folder,
  type FolderEdit,
  type FolderPath,
  type MediaFolderQueries,
  type MediaFolders,
  type NewFolder,
  type RemovedBranch,
} from '@back-office/media';
import { MemoryKeyedWrite } from '../keyed-write.js';
import { JobList } from './job-list.js';
import { audit } from '../apps/audit-entries.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { activeFiles, filesOf, isUsed } from './files.js';
import { branchOf, folderAt, hasFolder, isFolderTaken } from './folders.js';
import type { FolderRecord } from './records.js';

export class MemoryMediaFolders implements MediaFolders, MediaFolderQueries {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async branch(appId: number, path: FolderPath): Promise<Folder[]> {
    return branchOf(this.state, appId, path);
  }

  async add(appId: number, { name, path, description }: NewFolder): Promise<Folder | Refusal> {
    if (path === TOP_LEVEL) return refuse("can't be blank", 'key');
    return this.state.memory.transaction(() => {
      if (!hasFolder(this.state, appId, parentOf(path))) return PARENT_NOT_FOUND;
      if (isFolderTaken(this.state, appId, { id: 0, path, name, description })) return FOLDER_TAKEN;
      return { ...this.state.folders.insert(appId, { path, name, description }), files: 0 };
    });
  }

  async edit(appId: number, id: number, edit: FolderEdit): Promise<EditedFolder | Refusal> {
    const editedFolder = this.state.memory.transaction(() => {
      const folder = this.state.folders.get(appId, id);
      if (folder === undefined) return FOLDER_NOT_FOUND;
      const path = this.targetOf(appId, folder, edit.parent);
      if (isRefusal(path)) return path;
      const { name = folder.name, description = folder.description } = edit;
      // The target folder must contain neither the old nor the new name, because PostgreSQL first moves the folder and
      // then renames it.
      const steps: FolderRecord[] = [
        { ...folder, path },
        { ...folder, path, name, description },
      ];
      if (steps.some((step) => isFolderTaken(this.state, appId, step))) return FOLDER_TAKEN;
      if (path !== folder.path) this.moveBranch(appId, folder.path, path);
      this.state.folders.put(appId, { ...folder, path, name, description });
      return { path, branch: branchOf(this.state, appId, path) };
    });
    if (isRefusal(editedFolder) || !MemoryKeyedWrite.isResumed()) return editedFolder;
    return { ...editedFolder, branch: branchOf(this.state, appId, editedFolder.path) };
  }

  async remove(appId: number, path: FolderPath, rules: DeletionRules): Promise<RemovedBranch | Refusal> {
    return this.state.memory.transaction(() => {
      if (folderAt(this.state, appId, path) === undefined) return FOLDER_NOT_FOUND;
      const files = activeFiles(this.state, appId).filter(({ folder }) => isWithin(folder, path));
      if (rules.refusesDeleteInUse && files.some(({ key }) => isUsed(this.state, appId, key))) return FILE_REFERENCED;
      const now = this.clock.now();
      const trash = { deleted_at: now, purge_at: purgeAt(now, rules.trashRetentionDays), deleted_by: 'app' };
      for (const file of files) this.state.files.put(appId, { ...file, state: 'trashed', ...trash });
      const ids = files.map(({ id }) => id);
      publish(this.state, appId, now, fileEvents('file.trashed', ids));
      if (!rules.servesTrash) this.jobs.addWithdrawal(appId, ids);
      audit(this.state, appId, now, [folderEntry(path)]);
      const folders = this.foldersWithin(appId, path);
      for (const { id } of folders) this.state.folders.delete(appId, id);
      return { deletedFiles: files.length, deletedFolders: folders.length };
    });
  }

  private targetOf(appId: number, { path }: FolderRecord, parent: FolderPath | undefined): FolderPath | Refusal {
    if (parent === undefined || parent === parentOf(path)) return path;
    if (isWithin(parent, path)) return INVALID_PARENT;
    if (!hasFolder(this.state, appId, parent)) return PARENT_NOT_FOUND;
    const target = parseFolderPath(joinFolder(parent, lastSegment(path)), 'parent_folder');
    if (isRefusal(target)) return target;
    const growth = utf8ByteLength(target) - utf8ByteLength(path);
    const isTooLong = growth > 0 && this.maxPathBytesBelow(appId, path) + growth > MAX_FOLDER_PATH_BYTES;
    return isTooLong ? refuse('is invalid', 'parent_folder') : target;
  }

  /** Moves all folders and files of the branch, including files in Trash whose folder no longer exists. */
  private moveBranch(appId: number, from: FolderPath, to: FolderPath): void {
    for (const folder of this.foldersWithin(appId, from)) {
      this.state.folders.put(appId, { ...folder, path: rebaseFolder(folder.path, from, to) });
    }
    const files = filesOf(this.state, appId).filter(({ folder }) => isWithin(folder, from));
    for (const file of files) this.state.files.put(appId, { ...file, folder: rebaseFolder(file.folder, from, to) });
    const activeIds = files.filter(({ state }) => state === 'active').map(({ id }) => id);
    publish(this.state, appId, this.clock.now(), fileEvents('file.moved', activeIds));
  }

  private maxPathBytesBelow(appId: number, path: FolderPath): number {
    const paths = [
      ...this.state.folders.all(appId).map((folder) => folder.path),
      ...filesOf(this.state, appId).map(({ folder }) => folder),
    ];
    return Math.max(
      0,
      ...paths.filter((otherPath) => otherPath !== path && isWithin(otherPath, path)).map(utf8ByteLength),
    );
  }

  private foldersWithin(appId: number, path: FolderPath): FolderRecord[] {
    return this.state.folders.all(appId).filter((folder) => isWithin(folder.path, path));
  }
}

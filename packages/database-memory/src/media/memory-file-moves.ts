import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  fileEvents,
  RestoredNames,
  stepOf,
  type FileMoves,
  type FileResult,
  type FolderPath,
} from '@back-office/media';
import { publish } from '../events/published-events.js';
import { JobList } from './job-list.js';
import type { State } from '../state.js';
import { activeFiles, filesById, resultsOf, searchTextOf } from './files.js';
import { makeFolders } from './folders.js';

const NOT_IN_TRASH = { state: 'active', deleted_at: null, deleted_by: null, purge_at: null } as const;

export class MemoryFileMoves implements FileMoves {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async move(appId: number, ids: readonly number[], folder: FolderPath): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const files = filesById(this.state, appId, ids);
      const movedFiles = files.filter((file) => !isRefusal(stepOf('move', file.state)) && file.folder !== folder);
      const names = this.namesIn(appId, folder);
      const refusals = new Map<number, Refusal>();
      const movedIds: number[] = [];
      for (const file of movedFiles) {
        if (names.has(file.filename)) refusals.set(file.id, FILE_NAME_TAKEN);
        else {
          names.add(file.filename);
          makeFolders(this.state, appId, [folder]);
          this.state.files.put(appId, { ...file, folder });
          movedIds.push(file.id);
        }
      }
      publish(this.state, appId, this.clock.now(), fileEvents('file.moved', movedIds));
      return resultsOf('move', ids, files).map((result, index) => result ?? refusals.get(ids[index] ?? 0));
    });
  }

  async restore(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const files = filesById(this.state, appId, ids);
      const restoredFiles = files.filter(({ state }) => stepOf('restore', state) === 'active');
      makeFolders(
        this.state,
        appId,
        restoredFiles.map(({ folder }) => folder),
      );
      const names = new Map<FolderPath, RestoredNames>();
      for (const file of restoredFiles) {
        const { folder } = file;
        const folderNames = names.get(folder) ?? new RestoredNames(this.namesIn(appId, folder));
        names.set(folder, folderNames);
        const filename = folderNames.assign(file.filename);
        const search_text = searchTextOf({ ...file, filename });
        this.state.files.put(appId, { ...file, ...NOT_IN_TRASH, filename, search_text });
      }
      const restoredIds = restoredFiles.map(({ id }) => id);
      this.jobs.addRepublication(appId, restoredIds);
      publish(this.state, appId, this.clock.now(), fileEvents('file.restored', restoredIds));
      return resultsOf('restore', ids, files);
    });
  }

  private namesIn(appId: number, folder: FolderPath): Set<string> {
    return new Set(activeFiles(this.state, appId, folder).map(({ filename }) => filename));
  }
}

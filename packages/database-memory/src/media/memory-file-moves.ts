import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  FILE_NAME_TAKEN,
  RestoredNames,
  stepOf,
  type FileMoves,
  type FileResult,
  type FolderPath,
} from '@back-office/media';
import type { State } from '../state.js';
import { activeFiles, filesById, outcomesOf, searchTextOf } from './files.js';
import { makeFolders } from './folders.js';

const NOT_IN_TRASH = { state: 'active', deleted_at: null, deleted_by: null, purge_at: null } as const;

export class MemoryFileMoves implements FileMoves {
  constructor(private readonly state: State) {}

  async move(appId: number, ids: readonly number[], folder: FolderPath): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const files = filesById(this.state, appId, ids);
      const moving = files.filter((file) => !isRefusal(stepOf('move', file.state)) && file.folder !== folder);
      const names = this.namesIn(appId, folder);
      const refused = new Map<number, Refusal>();
      for (const file of moving) {
        if (names.has(file.filename)) refused.set(file.id, FILE_NAME_TAKEN);
        else {
          names.add(file.filename);
          makeFolders(this.state, appId, [folder]);
          this.state.files.put(appId, { ...file, folder });
        }
      }
      return outcomesOf('move', ids, files).map((outcome, index) => outcome ?? refused.get(ids[index] ?? 0));
    });
  }

  async restore(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const files = filesById(this.state, appId, ids);
      const back = files.filter(({ state }) => stepOf('restore', state) === 'active');
      makeFolders(
        this.state,
        appId,
        back.map(({ folder }) => folder),
      );
      const names = new Map<FolderPath, RestoredNames>();
      for (const file of back) {
        const { folder } = file;
        const inFolder = names.get(folder) ?? new RestoredNames(this.namesIn(appId, folder));
        names.set(folder, inFolder);
        const filename = inFolder.assign(file.filename);
        const search_text = searchTextOf({ ...file, filename });
        this.state.files.put(appId, { ...file, ...NOT_IN_TRASH, filename, search_text });
      }
      return outcomesOf('restore', ids, files);
    });
  }

  private namesIn(appId: number, folder: FolderPath): Set<string> {
    return new Set(activeFiles(this.state, appId, folder).map(({ filename }) => filename));
  }
}

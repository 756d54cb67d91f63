import type { Clock } from '@back-office/kernel';
import {
  type DeletionRules,
  FILE_REFERENCED,
  type FileResult,
  type MediaTrash,
  blobKeysOf,
  purgeAt,
  stepOf,
} from '@back-office/media';
import type { State } from '../state.js';
import { dropDerived } from './derived-files.js';
import { filesById, filesByKey, filesOf, isUsed, outcomesOf, refusalOf } from './files.js';
import { JobList } from './job-list.js';
import type { FileRecord } from './records.js';

const MAX_PURGED_PER_BATCH = 200;

export class MemoryMediaTrash implements MediaTrash {
  private readonly jobs: JobList;

  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {
    this.jobs = new JobList(state, clock);
  }

  async delete(appId: number, keys: readonly string[], rules: DeletionRules): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const isKept = ({ state, key }: FileRecord) =>
        stepOf('delete', state) === 'trashed' && rules.refusesDeleteInUse && isUsed(this.state, appId, key);
      const now = this.clock.now();
      const trash = { deleted_at: now, deleted_by: 'app', purge_at: purgeAt(now, rules.trashRetentionDays) };
      const byKey = new Map(filesByKey(this.state, appId, keys).map((file) => [file.key, file]));
      for (const file of byKey.values()) {
        if (stepOf('delete', file.state) !== 'trashed' || isKept(file)) continue;
        this.state.files.put(appId, { ...file, state: 'trashed', ...trash });
      }
      return keys.map((key) => {
        const file = byKey.get(key);
        return refusalOf('delete', file) ?? (file && isKept(file) ? FILE_REFERENCED : undefined);
      });
    });
  }

  async purge(appId: number, ids: readonly number[]): Promise<FileResult[]> {
    return this.state.memory.transaction(() => {
      const files = filesById(this.state, appId, ids);
      this.remove(
        appId,
        files.filter(({ state }) => stepOf('purge', state) === 'removed'),
      );
      return outcomesOf('purge', ids, files);
    });
  }

  async expire(): Promise<number> {
    const now = this.clock.now();
    const isOver = ({ state, purge_at: purge }: FileRecord) =>
      stepOf('expire', state) === 'removed' && purge !== null && purge <= now;
    let purged = 0;
    for (const appId of this.state.files.appIds()) {
      const over = filesOf(this.state, appId).filter(isOver).slice(0, MAX_PURGED_PER_BATCH);
      if (over.length > 0) this.state.memory.transaction(() => this.remove(appId, over));
      purged += over.length;
    }
    return purged;
  }

  private remove(appId: number, files: readonly FileRecord[]): void {
    const derived = files.flatMap(({ id }) => dropDerived(this.state, appId, id));
    const ids = new Set(files.map(({ id }) => id));
    const versions = this.state.fileVersions.all(appId).filter((version) => ids.has(version.file_id));
    for (const { id } of versions) this.state.fileVersions.delete(appId, id);
    for (const { id } of files) this.state.files.delete(appId, id);
    const keys = [...derived, ...versions, ...files].map(({ key }) => key);
    const blobs = [...derived.map(({ content }) => content), ...blobKeysOf([...versions, ...files])];
    this.jobs.addTidying({ appId, blobs, keys });
  }
}

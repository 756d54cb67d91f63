import type { Clock } from '@back-office/kernel';
import {
  type DeletionRules,
  FILE_REFERENCED,
  type FileResult,
  type MediaTrash,
  blobKeysOf,
  fileEntries,
  fileEvents,
  purgedFileEvents,
  purgeAt,
  stepOf,
} from '@back-office/media';
import { audit } from '../apps/audit-entries.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { dropDerivedFiles, retiredOf } from './derived-files.js';
import { filesById, filesByKey, filesOf, isUsed, keyHash, resultsOf, refusalOf } from './files.js';
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
      const isProtected = ({ state, key }: FileRecord) =>
        stepOf('delete', state) === 'trashed' && rules.refusesDeleteInUse && isUsed(this.state, appId, key);
      const now = this.clock.now();
      const trash = { deleted_at: now, deleted_by: 'app', purge_at: purgeAt(now, rules.trashRetentionDays) };
      const trashedIds: number[] = [];
      const byKey = new Map(filesByKey(this.state, appId, keys).map((file) => [file.key, file]));
      for (const file of byKey.values()) {
        if (stepOf('delete', file.state) !== 'trashed' || isProtected(file)) continue;
        this.state.files.put(appId, { ...file, state: 'trashed', ...trash });
        trashedIds.push(file.id);
      }
      publish(this.state, appId, now, fileEvents('file.trashed', trashedIds));
      audit(
        this.state,
        appId,
        now,
        fileEntries(
          'file.delete',
          [...trashedIds].sort((a, b) => a - b),
        ),
      );
      if (!rules.servesTrash) this.jobs.addWithdrawal(appId, trashedIds);
      return keys.map((key) => {
        const file = byKey.get(key);
        return refusalOf('delete', file) ?? (file && isProtected(file) ? FILE_REFERENCED : undefined);
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
      return resultsOf('purge', ids, files);
    });
  }

  async expire(): Promise<number> {
    const now = this.clock.now();
    const hasExpired = ({ state, purge_at: purge }: FileRecord) =>
      stepOf('expire', state) === 'removed' && purge !== null && purge <= now;
    let purgedCount = 0;
    for (const appId of this.state.files.appIds()) {
      const expiredFiles = filesOf(this.state, appId).filter(hasExpired).slice(0, MAX_PURGED_PER_BATCH);
      if (expiredFiles.length > 0) this.state.memory.transaction(() => this.remove(appId, expiredFiles));
      purgedCount += expiredFiles.length;
    }
    return purgedCount;
  }

  private remove(appId: number, files: readonly FileRecord[]): void {
    const fileIds = files.map(({ id }) => id);
    audit(this.state, appId, this.clock.now(), fileEntries('file.purge', fileIds));
    const derivedFiles = files.flatMap(({ id }) => dropDerivedFiles(this.state, appId, id));
    const retiredFiles = files.flatMap(({ id, version }) =>
      retiredOf(this.state, appId, id).map((retired) => ({ ...retired, version })),
    );
    for (const { id } of retiredFiles) this.state.retiredRenditions.delete(appId, id);
    const ids = new Set(files.map(({ id }) => id));
    const versions = this.state.fileVersions.all(appId).filter((version) => ids.has(version.file_id));
    for (const { id } of versions) this.state.fileVersions.delete(appId, id);
    for (const { id, key } of files) {
      this.state.files.delete(appId, id);
      this.state.purgedKeys.insert(appId, { hash: keyHash(key) });
    }
    publish(this.state, appId, this.clock.now(), purgedFileEvents(files));
    const withdrawn = [
      ...derivedFiles,
      ...retiredFiles,
      ...files,
      ...versions.map(({ key }) => ({ key, version: 1 })),
    ].map(({ key, version }) => ({ key, version }));
    const blobs = [...derivedFiles.map(({ content }) => content), ...blobKeysOf([...versions, ...files])];
    this.jobs.addTidying({ appId, blobs, keys: [], withdrawn });
  }
}

import type { Clock } from '@back-office/kernel';
import {
  fileEvents,
  type FileToProcess,
  type ProcessedFileQueries,
  type ProcessedFiles,
  type ProcessingResult,
  type PublicLibrary,
} from '@back-office/media';
import { addTidying, schedulePurgeNow, REPAIR_STATEMENTS } from './media-jobs.js';
import type { Postgres } from '../../connection/postgres.js';
import type { Transaction } from '../../connection/transaction.js';
import { DERIVED_KEYS, findFileJson } from '../files/file-columns.js';
import * as sql from './processed-file-statements.js';

interface FileWithoutJob {
  readonly appId: number;
  readonly id: number;
  readonly version: number;
}

interface DroppedFile {
  readonly key: string;
  readonly content: string;
}

export class SqlProcessedFiles implements ProcessedFiles, ProcessedFileQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  async find(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const [file] = await this.database.rows<FileToProcess>(sql.FIND_FILE_TO_PROCESS, [appId, fileId]);
    return file;
  }

  async derivedKeys(appId: number, fileId: number): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
    return rows.map(({ key }) => key);
  }

  record(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.changeUnlessReplaced(appId, file, file.content, async (transaction) => {
      const { main, width, height, renditions, pages } = result;
      const labelsAndPages = [labelsOf(result), pagesOf(result)];
      const replacedFiles = await transaction.rows<{ content: string }>(sql.FIND_REPLACED_CONTENTS, [
        appId,
        id,
        version,
        ...labelsAndPages,
      ]);
      await transaction.rows(sql.ADD_RENDITIONS, [appId, id, version, JSON.stringify(renditions)]);
      await transaction.rows(sql.ADD_PAGES, [appId, id, version, JSON.stringify(pages)]);
      const retiredFiles = await transaction.rows<{ key: string }>(sql.FIND_RETIRED_KEYS, [appId, id]);
      const keys = [...new Set([file, ...renditions, ...pages, ...retiredFiles].map(({ key }) => key))];
      const blobs = [...replacedFiles.map(({ content }) => content), ...(main ? [file.content] : [])];
      await addTidying(transaction, { appId, blobs, keys });
      const size = main ?? { width, height };
      const contentValues = main ? [main.content, main.mime, main.size, main.checksum] : [null, null, null, null];
      await transaction.runLast(sql.CHANGE_CONTENT, [appId, id, size.width, size.height, ...contentValues]);
      return keys;
    });
  }

  list(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.changeUnlessReplaced(appId, file, result.main?.content ?? file.content, async (transaction) => {
      const labelsAndPages = [labelsOf(result), pagesOf(result)];
      const values = [appId, id, version, result.replacesRenditions, ...labelsAndPages];
      const droppedFiles = await transaction.rows<DroppedFile>(sql.DROP_OUTDATED, values);
      const keptKeys = new Set([...result.renditions, ...result.pages].map(({ key }) => key));
      const keys = droppedFiles.map(({ key }) => key).filter((key) => !keptKeys.has(key));
      await addTidying(transaction, { appId, blobs: droppedFiles.map(({ content }) => content), keys });
      await schedulePurgeNow(transaction, appId, id);
      transaction.record(appId, this.clock.now(), { events: fileEvents('file.processed', [id]) });
      await transaction.runLast(sql.LIST_DERIVED, [appId, id, version, ...labelsAndPages]);
      return keys;
    });
  }

  async fail(appId: number, id: number, version: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const failedRows = await transaction.rows(sql.FAIL_PROCESSING, [appId, id, version]);
      if (failedRows.length === 0) return;
      transaction.record(appId, this.clock.now(), { events: fileEvents('file.processed', [id]) });
      const droppedFiles = await transaction.rows<DroppedFile>(sql.DROP_UNLISTED, [appId, id, version]);
      await addTidying(transaction, {
        appId,
        blobs: droppedFiles.map(({ content }) => content),
        keys: droppedFiles.map(({ key }) => key),
      });
      await schedulePurgeNow(transaction, appId, id);
    });
  }

  async finish(appId: number, id: number, version: number): Promise<string | undefined> {
    const finishedRows = await this.database.rows(sql.FINISH_PROCESSING, [appId, id, version, this.clock.now()]);
    if (finishedRows.length === 0) return undefined;
    return findFileJson(this.database, appId, id, this.library.base);
  }

  async revive(before: Date): Promise<void> {
    await this.database.rows(REPAIR_STATEMENTS.reviveJobs);
    const files = await this.database.rows<FileWithoutJob>(REPAIR_STATEMENTS.findFilesWithoutJob, [before]);
    for (const { appId, id, version } of files) await this.fail(appId, id, version);
  }

  private changeUnlessReplaced<Result>(
    appId: number,
    { id, version }: FileToProcess,
    content: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result | false> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [lockedFile] = await transaction.rows(sql.LOCK_CONTENT, [appId, id, version, content]);
      return lockedFile === undefined ? false : work(transaction);
    });
  }
}

function labelsOf({ renditions }: ProcessingResult): string[] {
  return renditions.map(({ label }) => label);
}

function pagesOf({ pages }: ProcessingResult): number[] {
  return pages.map(({ page }) => page);
}

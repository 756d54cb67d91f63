import type {
  FileToProcess,
  ProcessedFileQueries,
  ProcessedFiles,
  ProcessingResult,
  PublicLibrary,
} from '@back-office/media';
import { addTidying, schedulePurgeNow, REPAIR } from './media-jobs.js';
import type { Postgres } from '../postgres.js';
import type { Transaction } from '../client-transaction.js';
import { DERIVED_KEYS, findFileJson } from './file-columns.js';
import * as sql from './processed-file-statements.js';

interface Forgotten {
  readonly appId: number;
  readonly id: number;
  readonly version: number;
}

interface Dropped {
  readonly key: string;
  readonly content: string;
}

export class SqlProcessedFiles implements ProcessedFiles, ProcessedFileQueries {
  constructor(
    private readonly database: Postgres,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  async find(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const [found] = await this.database.rows<FileToProcess>(sql.TO_PROCESS, [appId, fileId]);
    return found;
  }

  async derivedKeys(appId: number, fileId: number): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
    return rows.map(({ key }) => key);
  }

  record(appId: number, file: FileToProcess, made: ProcessingResult): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.whileUnchanged(appId, file, file.content, async (transaction) => {
      const { main, width, height, renditions, pages } = made;
      const names = [labelsOf(made), pagesOf(made)];
      const replaced = await transaction.rows<{ content: string }>(sql.REPLACED, [appId, id, version, ...names]);
      await transaction.rows(sql.ADD_RENDITIONS, [appId, id, version, JSON.stringify(renditions)]);
      await transaction.rows(sql.ADD_PAGES, [appId, id, version, JSON.stringify(pages)]);
      const keys = [file.key, ...[...renditions, ...pages].map(({ key }) => key)];
      const blobs = [...replaced.map(({ content }) => content), ...(main ? [file.content] : [])];
      await addTidying(transaction, { appId, blobs, keys });
      const size = main ?? { width, height };
      const content = main ? [main.content, main.mime, main.size, main.checksum] : [null, null, null, null];
      await transaction.last(sql.CHANGE_CONTENT, [appId, id, size.width, size.height, ...content]);
      return keys;
    });
  }

  list(appId: number, file: FileToProcess, made: ProcessingResult): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.whileUnchanged(appId, file, made.main?.content ?? file.content, async (transaction) => {
      const names = [labelsOf(made), pagesOf(made)];
      const values = [appId, id, version, made.replacesRenditions, ...names];
      const dropped = await transaction.rows<Dropped>(sql.DROP_OTHERS, values);
      const kept = new Set([...made.renditions, ...made.pages].map(({ key }) => key));
      const keys = dropped.map(({ key }) => key).filter((key) => !kept.has(key));
      await addTidying(transaction, { appId, blobs: dropped.map(({ content }) => content), keys });
      await schedulePurgeNow(transaction, appId, id);
      await transaction.last(sql.LIST, [appId, id, version, ...names]);
      return keys;
    });
  }

  async fail(appId: number, id: number, version: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const failed = await transaction.rows(sql.FAIL, [appId, id, version]);
      if (failed.length === 0) return;
      const dropped = await transaction.rows<Dropped>(sql.DROP_UNLISTED, [appId, id, version]);
      await addTidying(transaction, {
        appId,
        blobs: dropped.map(({ content }) => content),
        keys: dropped.map(({ key }) => key),
      });
      await schedulePurgeNow(transaction, appId, id);
    });
  }

  async finish(appId: number, id: number, version: number): Promise<string | undefined> {
    const finished = await this.database.rows(sql.FINISH, [appId, id, version]);
    if (finished.length === 0) return undefined;
    return findFileJson(this.database, appId, id, this.library.base);
  }

  async revive(before: Date): Promise<void> {
    await this.database.rows(REPAIR.revive);
    const forgotten = await this.database.rows<Forgotten>(REPAIR.forgotten, [before]);
    for (const { appId, id, version } of forgotten) await this.fail(appId, id, version);
  }

  private whileUnchanged<Result>(
    appId: number,
    { id, version }: FileToProcess,
    content: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result | false> {
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [locked] = await transaction.rows(sql.LOCK_CONTENT, [appId, id, version, content]);
      return locked === undefined ? false : work(transaction);
    });
  }
}

function labelsOf({ renditions }: ProcessingResult): string[] {
  return renditions.map(({ label }) => label);
}

function pagesOf({ pages }: ProcessingResult): number[] {
  return pages.map(({ page }) => page);
}

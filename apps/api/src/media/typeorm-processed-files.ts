import type { PlannedRendition } from '@back-office/media';
import type { Database, Transaction } from '../database/database.js';
import { DERIVED_KEYS, FIND_FILE_JSON } from './file-columns.query.js';
import { addTidying, hastenPurge, MENDING } from './media-jobs.query.js';
import * as sql from './processed-files.query.js';

/** A file as its processing needs it. */
export interface FileToProcess {
  readonly id: number;
  readonly key: string;
  readonly prefix: string;
  readonly mime: string;
  readonly kind: string;
  readonly size: number;
  readonly version: number;
  readonly content: string;
  readonly original: string | null;
  readonly processing: 'pending' | 'done' | 'failed';
  readonly outputFormat: 'original' | 'webp' | 'jpeg' | 'avif';
  readonly maxWidth: number;
  readonly quality: number;
  readonly renditionWidths: readonly number[];
}

export interface MadeObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  readonly width: number;
  readonly height: number;
}

/** What processing has made of a file; bytes are in the store already. */
export interface MadeOfFile {
  /** The new public content, where there is one. */
  readonly main: (MadeObject & { readonly checksum: Buffer }) | undefined;
  /** As it is known by now, where no new content was made; what is null stays as it is. */
  readonly width: number | null;
  readonly height: number | null;
  readonly renditions: readonly (MadeObject & { readonly key: string; readonly label: PlannedRendition['label'] })[];
  /** Whether other renditions of the file go. */
  readonly replacesRenditions: boolean;
  readonly pages: readonly (MadeObject & { readonly key: string; readonly page: number })[];
}

interface Forgotten {
  readonly appId: number;
  readonly id: number;
  readonly version: number;
}

interface Dropped {
  readonly key: string;
  readonly content: string;
}

/**
 * What processing makes of files. It is recorded first, so that its public copies can be made from the records, whoever
 * makes them; and it is listed, and the file done, when the copies are there.
 */
export class TypeOrmProcessedFiles {
  constructor(
    private readonly database: Database,
    private readonly base: string,
  ) {}

  async find(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const [found] = await this.database.rows<FileToProcess>(sql.TO_PROCESS, [appId, fileId]);
    return found;
  }

  /** Every public key of the renditions and pages of a file. */
  async derivedKeys(appId: number, fileId: number): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(DERIVED_KEYS, [appId, fileId]);
    return rows.map(({ key }) => key);
  }

  /** Answers the public keys to copy to; false, with nothing recorded, when the file has another content by now. */
  record(appId: number, file: FileToProcess, made: MadeOfFile): Promise<readonly string[] | false> {
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

  /**
   * Lists what was recorded, drops what it replaces, and finishes the file. Answers the public keys that stand for
   * nothing any more; false when the file has another content by now.
   */
  list(appId: number, file: FileToProcess, made: MadeOfFile): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.whileUnchanged(appId, file, made.main?.content ?? file.content, async (transaction) => {
      const names = [labelsOf(made), pagesOf(made)];
      const values = [appId, id, version, made.replacesRenditions, ...names];
      const dropped = await transaction.rows<Dropped>(sql.DROP_OTHERS, values);
      const kept = new Set([...made.renditions, ...made.pages].map(({ key }) => key));
      const keys = dropped.map(({ key }) => key).filter((key) => !kept.has(key));
      await addTidying(transaction, { appId, blobs: dropped.map(({ content }) => content), keys });
      await hastenPurge(transaction, appId, id);
      await transaction.last(sql.LIST, [appId, id, version, ...names]);
      return keys;
    });
  }

  /** The file stays as it was uploaded; what was made of an earlier content goes. */
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
      await hastenPurge(transaction, appId, id);
    });
  }

  /** Finishes a file that only had to be published. As JSON text; `undefined` when it has another version by now. */
  async finish(appId: number, id: number, version: number): Promise<string | undefined> {
    const finished = await this.database.rows(sql.FINISH, [appId, id, version]);
    if (finished.length === 0) return undefined;
    const [found] = await this.database.rows<{ data: string }>(FIND_FILE_JSON, [appId, id, this.base]);
    return found?.data;
  }

  /** Lets jobs that have given up try again, and fails the files that have waited since before for a job that is gone. */
  async revive(before: Date): Promise<void> {
    await this.database.rows(MENDING.revive);
    const forgotten = await this.database.rows<Forgotten>(MENDING.forgotten, [before]);
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

function labelsOf({ renditions }: MadeOfFile): string[] {
  return renditions.map(({ label }) => label);
}

function pagesOf({ pages }: MadeOfFile): number[] {
  return pages.map(({ page }) => page);
}

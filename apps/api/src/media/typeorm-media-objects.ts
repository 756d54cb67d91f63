import type { PlannedRendition } from '@back-office/media';
import type { Database } from '../database/database.js';
import { addTidying, MENDING } from './media-jobs.query.js';

/** What stands behind a public key. */
export interface PublicObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  /** Of the file; the address that names another one is not that of these bytes. */
  readonly version: number;
  /** It is not going to change as long as the version does not. */
  readonly isSettled: boolean;
}

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

const OF_KEY = `
  select content, mime, size, version, processing <> 'pending' as "isSettled" from cdn_files
  where app_id = $1 and key = $2 and state <> 'receiving'
  union all
  (select r.content, r.mime, r.size, f.version, r.version = f.version from cdn_renditions r
   join cdn_files f on f.app_id = $1 and f.id = r.cdn_file_id
   where r.app_id = $1 and r.key = $2 order by r.version desc limit 1)
  union all
  select v.content, v.mime, v.size, v.version, true from cdn_file_versions v where v.app_id = $1 and v.key = $2
  union all
  (select p.content, p.mime, p.size, f.version, p.version = f.version from cdn_pdf_pages p
   join cdn_files f on f.app_id = $1 and f.id = p.cdn_file_id
   where p.app_id = $1 and p.key = $2 order by p.version desc limit 1)
  limit 1`;

const KEYS_AFTER = `
  select key from (
    (select key from cdn_files where app_id = $1 and key > $2 and state <> 'receiving' order by key limit $3)
    union (select key from cdn_renditions where app_id = $1 and key > $2 order by key limit $3)
    union (select key from cdn_file_versions where app_id = $1 and key > $2 order by key limit $3)
    union (select key from cdn_pdf_pages where app_id = $1 and key > $2 order by key limit $3)
  ) as next order by key limit $3`;

const APP_OF_PREFIX = `select id from apps where media_prefix = $1`;

const TO_PROCESS = `
  select f.id, f.key, a.media_prefix as prefix, f.mime, f.kind, f.size, f.version, f.content, f.original, f.processing,
    coalesce(p.output_format, 'original') as "outputFormat", coalesce(p.max_width, 16384) as "maxWidth",
    coalesce(p.quality, 82) as quality, coalesce(p.rendition_widths, '{}') as "renditionWidths"
  from cdn_files f join apps a on a.id = f.app_id
  left join cdn_upload_presets p on p.app_id = $1 and p.id = f.preset_id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving'`;

const LOCK_VERSION = `
  select content from cdn_files
  where app_id = $1 and id = $2 and version = $3 and content = $4 and state <> 'receiving' for update`;

const FINISH = `
  update cdn_files set processing = 'done', width = coalesce($3, width), height = coalesce($4, height),
    content = coalesce($5, content), mime = coalesce($6, mime), size = coalesce($7, size),
    checksum = coalesce($8, checksum)
  where app_id = $1 and id = $2`;

const DROP_RENDITIONS = `
  delete from cdn_renditions where app_id = $1 and cdn_file_id = $2 and (version < $3 or $4 or label = any($5))
  returning key, content`;

const ADD_RENDITIONS = `
  insert into cdn_renditions (app_id, cdn_file_id, version, width, height, label, key, mime, size, content)
  select $1, $2, $3, width, height, label, key, mime, size, content
  from json_to_recordset($4) as made
    (width int, height int, label text, key text, mime text, size bigint, content text)`;

const DROP_PAGES = `delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 returning key, content`;

const ADD_PAGES = `
  insert into cdn_pdf_pages (app_id, cdn_file_id, version, page, width, height, key, mime, size, content)
  select $1, $2, $3, page, width, height, key, mime, size, content
  from json_to_recordset($4) as made
    (width int, height int, page int, key text, mime text, size bigint, content text)`;

const FAIL = `
  update cdn_files set processing = 'failed' where app_id = $1 and id = $2 and version = $3 and processing = 'pending'
  returning 1`;

const DROP_EARLIER_PAGES = `
  delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and version < $3 returning key, content`;

const UNREFERENCED = `
  select blob from unnest($2::text[]) as blob
  where not exists (select from cdn_files where app_id = $1 and content = blob)
    and not exists (select from cdn_files where app_id = $1 and original = blob)
    and not exists (select from cdn_renditions where app_id = $1 and content = blob)
    and not exists (select from cdn_file_versions where app_id = $1 and content = blob)
    and not exists (select from cdn_file_versions where app_id = $1 and original = blob)
    and not exists (select from cdn_pdf_pages where app_id = $1 and content = blob)`;

const UNOWNED = `
  select key from unnest($2::text[]) as given (key)
  where not exists (select from cdn_files f where f.app_id = $1 and f.key = given.key)
    and not exists (select from cdn_renditions r where r.app_id = $1 and r.key = given.key)
    and not exists (select from cdn_file_versions v where v.app_id = $1 and v.key = given.key)
    and not exists (select from cdn_pdf_pages p where p.app_id = $1 and p.key = given.key)`;

const KEYS_AT_ONCE = 500;

interface Forgotten {
  readonly appId: number;
  readonly id: number;
  readonly version: number;
}

interface Dropped {
  readonly key: string;
  readonly content: string;
}

/** What the store holds for the library, and why. */
export class TypeOrmMediaObjects {
  private readonly apps = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** The app whose keys begin with this prefix. */
  async appOf(prefix: string): Promise<number | undefined> {
    const known = this.apps.get(prefix);
    if (known !== undefined) return known;
    const [app] = await this.database.rows<{ id: number }>(APP_OF_PREFIX, [prefix]);
    if (app) this.apps.set(prefix, app.id);
    return app?.id;
  }

  async ofKey(appId: number, key: string): Promise<PublicObject | undefined> {
    const [found] = await this.database.rows<PublicObject>(OF_KEY, [appId, key]);
    return found;
  }

  async toProcess(appId: number, fileId: number): Promise<FileToProcess | undefined> {
    const [found] = await this.database.rows<FileToProcess>(TO_PROCESS, [appId, fileId]);
    return found;
  }

  /** Makes what was made the file's own; false when the file has become another meanwhile. Answers the keys it touched. */
  async finish(appId: number, file: FileToProcess, made: MadeOfFile): Promise<readonly string[] | false> {
    const { id, version } = file;
    return this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const [locked] = await transaction.rows(LOCK_VERSION, [appId, id, version, file.content]);
      if (locked === undefined) return false;
      const { main, width, height, renditions, pages } = made;
      const labels = renditions.map(({ label }) => label);
      const dropped = await transaction.rows<Dropped>(DROP_RENDITIONS, [
        appId,
        id,
        version,
        made.replacesRenditions,
        labels,
      ]);
      dropped.push(...(await transaction.rows<Dropped>(DROP_PAGES, [appId, id])));
      await transaction.rows(ADD_RENDITIONS, [appId, id, version, JSON.stringify(renditions)]);
      await transaction.rows(ADD_PAGES, [appId, id, version, JSON.stringify(pages)]);
      const keys = [...new Set([file.key, ...[...renditions, ...pages, ...dropped].map(({ key }) => key)])];
      const blobs = [...dropped.map(({ content }) => content), ...(main ? [file.content] : [])];
      await addTidying(transaction, { appId, blobs, keys });
      const size = main ?? { width, height };
      const content = main ? [main.content, main.mime, main.size, main.checksum] : [null, null, null, null];
      await transaction.last(FINISH, [appId, id, size.width, size.height, ...content]);
      return keys;
    });
  }

  /** The file stays as it was uploaded; what was made of an earlier content goes. */
  async fail(appId: number, id: number, version: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      transaction.locks('file');
      const failed = await transaction.rows(FAIL, [appId, id, version]);
      if (failed.length === 0) return;
      const dropped = await transaction.rows<Dropped>(DROP_RENDITIONS, [appId, id, version, false, []]);
      dropped.push(...(await transaction.rows<Dropped>(DROP_EARLIER_PAGES, [appId, id, version])));
      await addTidying(transaction, {
        appId,
        blobs: dropped.map(({ content }) => content),
        keys: dropped.map(({ key }) => key),
      });
    });
  }

  /** Lets jobs that have given up try again, and fails the files that have waited since before for a job that is gone. */
  async revive(before: Date): Promise<void> {
    await this.database.rows(MENDING.revive);
    const forgotten = await this.database.rows<Forgotten>(MENDING.forgotten, [before]);
    for (const { appId, id, version } of forgotten) await this.fail(appId, id, version);
  }

  /** Public keys of an app in their order, a stretch at a time. */
  async keysAfter(appId: number, last: string): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(KEYS_AFTER, [appId, last, KEYS_AT_ONCE]);
    return rows.map(({ key }) => key);
  }

  /** Those of these blobs that no record points at. What nothing points at now, nothing ever will. */
  async unreferenced(appId: number, blobs: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ blob: string }>(UNREFERENCED, [appId, blobs]);
    return rows.map(({ blob }) => blob);
  }

  /** Those of these public keys that stand for nothing. */
  async unowned(appId: number, keys: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(UNOWNED, [appId, keys]);
    return rows.map(({ key }) => key);
  }
}

import type { MediaObjectQueries, PublicObject } from '@back-office/media';
import type { Postgres } from '../../connection/postgres.js';

// Condition that the file `f` is public: it is active, or it is in a Trash that its app serves. Versions, renditions
// and pages are public as long as their file is.
const IS_SERVED = `(f.state = 'active' or f.state = 'trashed' and coalesce(
    (select (settings -> 'media' ->> 'serve_trash')::boolean from app_settings where app_id = $1), true))`;

const FIND_OBJECT = `
  select content, mime, size, version, processing <> 'pending' as "isImmutable" from cdn_files f
  where app_id = $1 and key = $2 and ${IS_SERVED}
  union all
  (select r.content, r.mime, r.size, f.version, r.version = f.version and r.listed from cdn_renditions r
   join cdn_files f on f.app_id = $1 and f.id = r.cdn_file_id
   where r.app_id = $1 and r.key = $2 and ${IS_SERVED} order by r.version desc limit 1)
  union all
  select v.content, v.mime, v.size, v.version, true from cdn_file_versions v
  join cdn_files f on f.app_id = $1 and f.id = v.cdn_file_id
  where v.app_id = $1 and v.key = $2 and ${IS_SERVED}
  union all
  (select p.content, p.mime, p.size, f.version, p.version = f.version and p.listed from cdn_pdf_pages p
   join cdn_files f on f.app_id = $1 and f.id = p.cdn_file_id
   where p.app_id = $1 and p.key = $2 and ${IS_SERVED} order by p.version desc limit 1)
  union all
  select f.content, f.mime, f.size, f.version, false from cdn_retired_renditions t
  join cdn_files f on f.app_id = $1 and f.id = t.cdn_file_id
  where t.app_id = $1 and t.key = $2 and ${IS_SERVED}
  limit 1`;

const FIND_KEYS_AFTER = `
  select key from (
    (select key from cdn_files where app_id = $1 and key > $2 and state <> 'receiving' order by key limit $3)
    union (select key from cdn_renditions where app_id = $1 and key > $2 order by key limit $3)
    union (select key from cdn_retired_renditions where app_id = $1 and key > $2 order by key limit $3)
    union (select key from cdn_file_versions where app_id = $1 and key > $2 order by key limit $3)
    union (select key from cdn_pdf_pages where app_id = $1 and key > $2 order by key limit $3)
  ) as next order by key limit $3`;

const FIND_APP = `select id from apps where media_prefix = $1`;

const FIND_UNREFERENCED = `
  select blob from unnest($2::text[]) as blob
  where not exists (select from cdn_files where app_id = $1 and content = blob)
    and not exists (select from cdn_files where app_id = $1 and original = blob)
    and not exists (select from cdn_renditions where app_id = $1 and content = blob)
    and not exists (select from cdn_file_versions where app_id = $1 and content = blob)
    and not exists (select from cdn_file_versions where app_id = $1 and original = blob)
    and not exists (select from cdn_pdf_pages where app_id = $1 and content = blob)`;

const FIND_UNOWNED = `
  select key from unnest($2::text[]) as given (key)
  where not exists (select from cdn_files f where f.app_id = $1 and f.key = given.key)
    and not exists (select from cdn_renditions r where r.app_id = $1 and r.key = given.key)
    and not exists (select from cdn_retired_renditions t where t.app_id = $1 and t.key = given.key)
    and not exists (select from cdn_file_versions v where v.app_id = $1 and v.key = given.key)
    and not exists (select from cdn_pdf_pages p where p.app_id = $1 and p.key = given.key)`;

const KEYS_AT_ONCE = 500;

export class SqlMediaObjects implements MediaObjectQueries {
  private readonly appIdByPrefix = new Map<string, number>();

  constructor(private readonly database: Postgres) {}

  async findApp(prefix: string): Promise<number | undefined> {
    const cachedId = this.appIdByPrefix.get(prefix);
    if (cachedId !== undefined) return cachedId;
    const [app] = await this.database.rows<{ id: number }>(FIND_APP, [prefix]);
    if (app) this.appIdByPrefix.set(prefix, app.id);
    return app?.id;
  }

  async findObject(appId: number, key: string): Promise<PublicObject | undefined> {
    const [object] = await this.database.rows<PublicObject>(FIND_OBJECT, [appId, key]);
    return object;
  }

  async keysAfter(appId: number, lastKey: string): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(FIND_KEYS_AFTER, [appId, lastKey, KEYS_AT_ONCE]);
    return rows.map(({ key }) => key);
  }

  async unreferencedBlobs(appId: number, blobs: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ blob: string }>(FIND_UNREFERENCED, [appId, blobs]);
    return rows.map(({ blob }) => blob);
  }

  async unownedKeys(appId: number, keys: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ key: string }>(FIND_UNOWNED, [appId, keys]);
    return rows.map(({ key }) => key);
  }
}

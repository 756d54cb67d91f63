import { dateTimeSql } from '../../lists/json-sql.js';
import { FILE_VERSIONS } from '../../tables/files.js';
import { RETIRE_RENDITIONS } from './file-columns.js';

const KEPT_COLUMNS = FILE_VERSIONS.columns.pick('content', 'original', 'mime', 'size', 'width', 'height');

const EXPIRED_AT_ONCE = 500;

export const FIND_FILE = `
  select f.id, f.key, f.state, f.version, f.kind, f.content, f.original, coalesce(p.rendition_widths, '{}') as widths
  from cdn_files f left join cdn_upload_presets p on p.app_id = $1 and p.id = f.preset_id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving'`;
export const LOCK_FILE = `${FIND_FILE} for update of f`;

export const KEEP_VERSION = `
  with file as (
    select f.version, ${KEPT_COLUMNS.of('f')}, f.last_modified from cdn_files f where f.app_id = $1 and f.id = $2
  )
  insert into cdn_file_versions (app_id, cdn_file_id, version, key, ${KEPT_COLUMNS.list}, inserted_at, purge_at)
  select $1, $2, version, $3, ${KEPT_COLUMNS.list}, last_modified, $4 from file`;

export const REPLACE_CONTENT = `
  with receipt as (delete from cdn_files where app_id = $1 and id = $3 and state = 'receiving' returning content, original)
  update cdn_files f set version = f.version + 1, content = receipt.content, original = receipt.original, mime = $4,
    kind = $5, size = $6, checksum = $7, width = $8, height = $9, processing = $10, last_modified = $11
  from receipt where f.app_id = $1 and f.id = $2
  returning f.id, f.key, f.version`;

export const LOCK_VERSIONS = `
  select version, mime from cdn_file_versions where app_id = $1 and cdn_file_id = $2 and purge_at > $3 order by version for update`;

export const REVERT_CONTENT = `
  update cdn_files f set version = f.version + 1, content = v.content, original = v.original, mime = v.mime, kind = $4,
    size = v.size, width = v.width, height = v.height, checksum = null, processing = $5, last_modified = $6
  from cdn_file_versions v
  where f.app_id = $1 and f.id = $2 and v.app_id = $1 and v.cdn_file_id = $2 and v.version = $3
  returning f.id, f.key, f.version, f.mime`;

export const DROP_DERIVED = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2 returning key, content, label, listed
  ), ${RETIRE_RENDITIONS}, pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 returning content
  )
  select content from renditions union all select content from pages`;

export const PURGE_VERSION = `
  delete from cdn_file_versions where app_id = $1 and cdn_file_id = $2 and version = $3::bigint returning key, content, original`;

export const LIST_VERSIONS = `
  select coalesce(json_agg(json_build_object(
    'version', v.version, 'size', v.size, 'mime', v.mime, 'url', $3 || '/' || v.key,
    'inserted_at', ${dateTimeSql('v.inserted_at')}, 'purge_at', ${dateTimeSql('v.purge_at')}
  ) order by v.version desc) filter (where v.version is not null), '[]')::text as data
  from cdn_files f left join cdn_file_versions v on v.app_id = $1 and v.cdn_file_id = f.id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving' group by f.id`;

export const FIND_APPS_WITH_EXPIRED = `
  /* across apps: apps with expired versions */
  select distinct app_id as "appId" from cdn_file_versions where purge_at <= $1`;

export const EXPIRE_VERSIONS = `
  delete from cdn_file_versions where (app_id, cdn_file_id, version) in (
    select app_id, cdn_file_id, version from cdn_file_versions
    where app_id = $1 and purge_at <= $2 order by cdn_file_id, version limit ${EXPIRED_AT_ONCE} for update skip locked
  ) returning key, content, original`;

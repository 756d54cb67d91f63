import type { Sql } from '../../connection/sql.js';
import { dateTimeSql } from '../../lists/json-sql.js';
import { outerApp } from '../../connection/outer-app.js';

const VERSION_QUERY_SQL = `case when f.version > 1 then '?v=' || f.version else '' end`;

export const fileUrlSql = (base: string, key = 'f.key'): string => `${base} || '/' || ${key} || ${VERSION_QUERY_SQL}`;

export const keyHashSql = (key: string): string => `sha256(convert_to(${key}, 'UTF8'))`;

/**
 * Condition that the file `f` is used. `offset 0` prevents the planner from turning the look-up per file into a join.
 */
export const IS_USED_SQL = `exists (select from cdn_usages u where u.app_id = ${outerApp('f')} and u.key = f.key offset 0)`;

// Counts usages in each query, because a stored number could be wrong.
const USAGE_COUNT = `(select count(*) from cdn_usages u where u.app_id = ${outerApp('f')} and u.key = f.key)`;

const renditionsSql = (base: string): string => `(
  select coalesce(json_agg(json_build_object(
    'label', r.label, 'width', r.width, 'height', r.height, 'size', r.size, 'key', r.key,
    'url', ${fileUrlSql(base, 'r.key')}
  ) order by r.width), '[]')
  from cdn_renditions r where r.app_id = ${outerApp('f')} and r.cdn_file_id = f.id and r.version = f.version and r.listed
)`;

export function fileJsonSql(base: string, { withUrl = true, inTrash = false } = {}): string {
  return `json_build_object(
    'id', f.id, 'filename', f.filename, 'key', f.key, ${withUrl ? `'url', ${fileUrlSql(base)},` : ''}
    'folder', nullif(f.folder, ''), 'size', f.size, 'mime', f.mime, 'width', f.width, 'height', f.height,
    'alt', f.alt, 'caption', f.caption, 'tags', f.tags, 'description', f.description, 'version', f.version,
    'renditions', ${renditionsSql(base)}, 'usage_count', ${USAGE_COUNT},
    'hidden', f.hidden, 'hidden_by', f.hidden_by, 'hidden_at', ${dateTimeSql('f.hidden_at')},
    'hidden_note', f.hidden_note, 'source', f.source, 'processing', f.processing,
    'last_modified', ${dateTimeSql('f.last_modified')}, 'inserted_at', ${dateTimeSql('f.inserted_at')}
    ${
      inTrash
        ? `, 'deleted_at', ${dateTimeSql('f.deleted_at')}, 'deleted_by', f.deleted_by, 'purge_at', ${dateTimeSql('f.purge_at')}`
        : ''
    }
  )`;
}

const FIND_FILE_JSON = `
  select ${fileJsonSql('$3')}::text as data from cdn_files f
  where f.app_id = $1 and f.id = $2 and f.state in ('active', 'trashed')`;

export const FIND_FILES = `
  select f.id, ${fileJsonSql('$3')} as data from cdn_files f
  where f.app_id = $1 and f.id = any($2::bigint[]) and f.state in ('active', 'trashed')`;

export async function findFileJson(sql: Sql, appId: number, id: number, base: string): Promise<string | undefined> {
  const [row] = await sql.rows<{ data: string }>(FIND_FILE_JSON, [appId, id, base]);
  return row?.data;
}

/** Keeps the keys of the listed renditions that the CTE `renditions` has deleted. The file has the id $2. */
export const RETIRE_RENDITIONS = `retired as (
    insert into cdn_retired_renditions (app_id, cdn_file_id, label, key)
    select $1, $2, label, key from renditions where listed on conflict do nothing
  )`;

export const DERIVED_KEYS = `
  select key from cdn_renditions where app_id = $1 and cdn_file_id = $2
  union select key from cdn_retired_renditions where app_id = $1 and cdn_file_id = $2
  union select key from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2`;

import { WITHOUT_PRESET } from '@back-office/media';
import { fileEventsSql } from '../../connection/event-statements.js';
import type { NamedColumns } from '../../tables/column-list.js';
import { PDF_PAGES, RENDITIONS } from '../../tables/files.js';
import { RETIRE_RENDITIONS } from '../files/file-columns.js';

// Widths of renditions that were offered, and that the current version of the file `f` does not have.
const KEPT_WIDTHS = `array(
      select substr(offered.label, 2)::int from (
        select label from cdn_renditions where app_id = $1 and cdn_file_id = $2 and listed
        union select label from cdn_retired_renditions where app_id = $1 and cdn_file_id = $2
      ) as offered where not exists (
        select from cdn_renditions r
        where r.app_id = $1 and r.cdn_file_id = $2 and r.version = f.version and r.label = offered.label
      ) order by 1
    )`;

export const FIND_FILE_TO_PROCESS = `
  select f.id, f.key, a.media_prefix as prefix, f.mime, f.kind, f.size, f.version, f.content, f.original, f.processing,
    coalesce(p.output_format, '${WITHOUT_PRESET.outputFormat}') as "outputFormat",
    coalesce(p.max_width, ${WITHOUT_PRESET.maxWidth}) as "maxWidth",
    coalesce(p.quality, ${WITHOUT_PRESET.quality}) as quality,
    coalesce(p.rendition_widths, '{${WITHOUT_PRESET.renditionWidths.join(',')}}') as "renditionWidths",
    ${KEPT_WIDTHS} as "keptWidths"
  from cdn_files f join apps a on a.id = f.app_id
  left join cdn_upload_presets p on p.app_id = $1 and p.id = f.preset_id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving'`;

export const LOCK_CONTENT = `
  select content from cdn_files
  where app_id = $1 and id = $2 and version = $3 and content = $4 and state <> 'receiving' for update`;

export const FIND_REPLACED_CONTENTS = `
  select content from cdn_renditions where app_id = $1 and cdn_file_id = $2 and version = $3 and label = any($4)
  union all
  select content from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and version = $3 and page = any($5)`;

function upsertStatement(table: string, columns: NamedColumns, keyColumn: string, otherColumns: NamedColumns): string {
  return `
  insert into ${table} (app_id, cdn_file_id, version, ${columns.list}, listed)
  select $1, $2, $3, ${columns.list}, false from json_to_recordset($4) as made (${columns.typedList})
  on conflict (app_id, cdn_file_id, version, ${keyColumn}) do update set ${otherColumns.setFrom('excluded')}`;
}

const RENDITION_COLUMNS = RENDITIONS.columns.except('app_id', 'cdn_file_id', 'version', 'listed');
const PAGE_COLUMNS = PDF_PAGES.columns.except('app_id', 'cdn_file_id', 'version', 'listed');

export const ADD_RENDITIONS = upsertStatement(
  'cdn_renditions',
  RENDITION_COLUMNS,
  'label',
  RENDITION_COLUMNS.except('label'),
);
export const ADD_PAGES = upsertStatement('cdn_pdf_pages', PAGE_COLUMNS, 'page', PAGE_COLUMNS.except('page'));

export const FIND_RETIRED_KEYS = `select key from cdn_retired_renditions where app_id = $1 and cdn_file_id = $2`;

export const CHANGE_CONTENT = `
  update cdn_files set width = coalesce($3, width), height = coalesce($4, height), content = coalesce($5, content),
    mime = coalesce($6, mime), size = coalesce($7, size), checksum = coalesce($8, checksum)
  where app_id = $1 and id = $2`;

// Deletes renditions and pages of versions before $3. Also deletes pages of this version outside $6 and, if $4 is true,
// its renditions with labels outside $5.
export const DROP_OUTDATED = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2
      and (version < $3 or ($4 and label <> all($5)))
    returning key, content, label, listed
  ), ${RETIRE_RENDITIONS}, pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and (version < $3 or page <> all($6))
    returning key, content
  )
  select key, content from renditions union all select key, content from pages`;

export const LIST_DERIVED = `
  with renditions as (
    update cdn_renditions set listed = true
    where app_id = $1 and cdn_file_id = $2 and version = $3 and label = any($4)
  ), pages as (
    update cdn_pdf_pages set listed = true
    where app_id = $1 and cdn_file_id = $2 and version = $3 and page = any($5)
  )
  update cdn_files set processing = 'done' where app_id = $1 and id = $2`;

export const FAIL_PROCESSING = `
  update cdn_files set processing = 'failed' where app_id = $1 and id = $2 and version = $3 and processing = 'pending'
  returning 1`;

export const DROP_UNLISTED = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2 and (version < $3 or not listed)
    returning key, content, label, listed
  ), ${RETIRE_RENDITIONS}, pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and (version < $3 or not listed)
    returning key, content
  )
  select key, content from renditions union all select key, content from pages`;

export const FINISH_PROCESSING = `
  with finished as (
    update cdn_files set processing = 'done' where app_id = $1 and id = $2 and version = $3 and processing = 'pending'
    returning id
  ), ${fileEventsSql('file.processed', 'finished', '$4')}
  select id from finished`;

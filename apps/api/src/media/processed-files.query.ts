export const TO_PROCESS = `
  select f.id, f.key, a.media_prefix as prefix, f.mime, f.kind, f.size, f.version, f.content, f.original, f.processing,
    coalesce(p.output_format, 'original') as "outputFormat", coalesce(p.max_width, 16384) as "maxWidth",
    coalesce(p.quality, 82) as quality, coalesce(p.rendition_widths, '{}') as "renditionWidths"
  from cdn_files f join apps a on a.id = f.app_id
  left join cdn_upload_presets p on p.app_id = $1 and p.id = f.preset_id
  where f.app_id = $1 and f.id = $2 and f.state <> 'receiving'`;

export const LOCK_CONTENT = `
  select content from cdn_files
  where app_id = $1 and id = $2 and version = $3 and content = $4 and state <> 'receiving' for update`;

/** Contents that are about to be recorded anew, by an order for other widths or after a crash. */
export const REPLACED = `
  select content from cdn_renditions where app_id = $1 and cdn_file_id = $2 and version = $3 and label = any($4)
  union all
  select content from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and version = $3 and page = any($5)`;

// What is listed already stays so: something stands under its public key.
const onConflict = (name: string): string => `
  on conflict (app_id, cdn_file_id, version, ${name}) do update set width = excluded.width, height = excluded.height,
    key = excluded.key, mime = excluded.mime, size = excluded.size, content = excluded.content`;

export const ADD_RENDITIONS = `
  insert into cdn_renditions (app_id, cdn_file_id, version, width, height, label, key, mime, size, content, listed)
  select $1, $2, $3, width, height, label, key, mime, size, content, false
  from json_to_recordset($4) as made
    (width int, height int, label text, key text, mime text, size bigint, content text)
  ${onConflict('label')}`;

export const ADD_PAGES = `
  insert into cdn_pdf_pages (app_id, cdn_file_id, version, page, width, height, key, mime, size, content, listed)
  select $1, $2, $3, page, width, height, key, mime, size, content, false
  from json_to_recordset($4) as made
    (width int, height int, page int, key text, mime text, size bigint, content text)
  ${onConflict('page')}`;

export const CHANGE_CONTENT = `
  update cdn_files set width = coalesce($3, width), height = coalesce($4, height), content = coalesce($5, content),
    mime = coalesce($6, mime), size = coalesce($7, size), checksum = coalesce($8, checksum)
  where app_id = $1 and id = $2`;

/** Of earlier versions all; of this one other renditions only where $4 says so. */
export const DROP_OTHERS = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2
      and (version < $3 or ($4 and label <> all($5)))
    returning key, content
  ), pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and (version < $3 or page <> all($6))
    returning key, content
  )
  select key, content from renditions union all select key, content from pages`;

export const LIST = `
  with renditions as (
    update cdn_renditions set listed = true
    where app_id = $1 and cdn_file_id = $2 and version = $3 and label = any($4)
  ), pages as (
    update cdn_pdf_pages set listed = true
    where app_id = $1 and cdn_file_id = $2 and version = $3 and page = any($5)
  )
  update cdn_files set processing = 'done' where app_id = $1 and id = $2`;

export const FAIL = `
  update cdn_files set processing = 'failed' where app_id = $1 and id = $2 and version = $3 and processing = 'pending'
  returning 1`;

export const DROP_UNLISTED = `
  with renditions as (
    delete from cdn_renditions where app_id = $1 and cdn_file_id = $2 and (version < $3 or not listed)
    returning key, content
  ), pages as (
    delete from cdn_pdf_pages where app_id = $1 and cdn_file_id = $2 and (version < $3 or not listed)
    returning key, content
  )
  select key, content from renditions union all select key, content from pages`;

export const FINISH = `
  update cdn_files set processing = 'done' where app_id = $1 and id = $2 and version = $3 and processing = 'pending'
  returning 1`;

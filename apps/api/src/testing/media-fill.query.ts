/** Inserts $2 file records with renditions and usages. $1 is the app, $3 its prefix. */
export const FILL_FILES = [
  `insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
   select $1::bigint, 'f' || n, '', 'f' || n, now(), now() from generate_series(0, 199) as n where $2::int > 0 and $3::text <> ''`,
  `insert into cdn_files (app_id, state, key, folder, filename, kind, mime, size, width, height, processing, content,
     checksum, tags, search_text, last_modified, inserted_at)
   select $1::bigint, 'active', $3::text || '/f' || n % 200 || '/photo-' || n || '.jpg', 'f' || n % 200, 'Photo ' || n || '.jpg',
     'image', 'image/webp', 10000 + n % 90000, 2560, 1920, 'done', '_blobs/' || $3 || '/' || n, '\\x00',
     array['red', 'size ' || n % 50], 'photo ' || n || '.jpg red size ' || n % 50,
     now() - n * interval '1 minute', now() - n * interval '1 minute'
   from generate_series(1, $2::int) as n`,
  `insert into cdn_renditions (app_id, cdn_file_id, version, width, height, label, key, mime, size, content)
   select f.app_id, f.id, 1, w, w, 'w' || w, replace(f.key, '.jpg', '@' || w || '.jpg'), 'image/webp', 1000,
     f.content || '-' || w
   from cdn_files f, unnest(array[320, 640, 1280]) as w where f.app_id = $1::bigint and $2::int > 0 and $3::text <> ''`,
  `insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
   select f.app_id, f.key, 'page', f.id::text, 'image', f.key, now()
   from cdn_files f where f.app_id = $1::bigint and f.id % 2 = 0 and $2::int > 0 and $3::text <> ''`,
];

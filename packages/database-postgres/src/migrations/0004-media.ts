import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `create table cdn_folders (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    path text not null check (path <> ''),
    parent text not null,
    name text not null,
    description text,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint cdn_folders_path_key unique (app_id, path) deferrable,
    constraint cdn_folders_name_key unique (app_id, parent, name) deferrable
  )`,
  // This index finds all paths of a branch as one range, with any collation.
  `create index cdn_folders_branch_idx on cdn_folders (app_id, path text_pattern_ops)`,
  `create table cdn_upload_presets (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    name text not null,
    output_format text not null check (output_format in ('original', 'webp', 'jpeg', 'avif')),
    max_width integer not null check (max_width between 16 and 16384),
    quality integer not null check (quality between 1 and 100),
    rendition_widths integer[] not null default '{}',
    is_default boolean not null default false,
    inserted_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (app_id, id),
    constraint cdn_upload_presets_name_key unique (app_id, name)
  )`,
  `create unique index cdn_upload_presets_default_key on cdn_upload_presets (app_id) where is_default`,
  `insert into cdn_upload_presets
    (app_id, name, output_format, max_width, quality, rendition_widths, is_default, inserted_at, updated_at)
  select id, 'default', 'webp', 2560, 82, '{320,640,1280}', true, now(), now() from apps`,
  `create table cdn_files (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    state text not null check (state in ('receiving', 'active', 'trashed')),
    key text,
    folder text not null default '',
    filename text,
    kind text check (kind in ('image', 'vector', 'video', 'audio', 'doc')),
    mime text,
    size bigint check (size >= 0),
    width integer,
    height integer,
    version integer not null default 1 check (version >= 1),
    processing text not null default 'pending' check (processing in ('pending', 'done', 'failed')),
    preset_id bigint,
    original text not null,
    checksum bytea,
    alt text,
    caption text,
    description text,
    tags text[] not null default '{}',
    source text,
    usage_count integer not null default 0 check (usage_count >= 0),
    hidden boolean not null default false,
    hidden_by text,
    hidden_at timestamptz,
    hidden_note text,
    stays_visible boolean not null default false,
    deleted_at timestamptz,
    deleted_by text,
    purge_at timestamptz,
    search_text text generated always as (lower(
      coalesce(filename, '') || ' ' || coalesce(alt, '') || ' ' || coalesce(caption, '')
    )) stored,
    last_modified timestamptz not null,
    inserted_at timestamptz not null,
    primary key (app_id, id),
    constraint cdn_files_key_key unique (app_id, key),
    constraint cdn_files_received_check check (
      state = 'receiving' or (key is not null and filename is not null and kind is not null and mime is not null and size is not null)
    ),
    constraint cdn_files_trash_check check (
      (state = 'trashed') = (deleted_at is not null) and (deleted_at is null) = (purge_at is null)
    ),
    constraint cdn_files_preset_fkey foreign key (app_id, preset_id) references cdn_upload_presets (app_id, id)
  )`,
  `create unique index cdn_files_name_key on cdn_files (app_id, folder, filename) where state = 'active'`,
  `create index cdn_files_branch_idx on cdn_files (app_id, folder text_pattern_ops)`,
  `create index cdn_files_by_name_idx on cdn_files (app_id, filename, id) where state = 'active'`,
  `create index cdn_files_by_size_idx on cdn_files (app_id, size, id) where state = 'active'`,
  `create index cdn_files_by_insertion_idx on cdn_files (app_id, inserted_at, id) where state = 'active'`,
  `create index cdn_files_by_change_idx on cdn_files (app_id, last_modified, id) where state = 'active'`,
  `create index cdn_files_kind_idx on cdn_files (app_id, kind, filename, id) where state = 'active'`,
  `create index cdn_files_trash_idx on cdn_files (app_id, deleted_at, id) where state = 'trashed'`,
  `create index cdn_files_search_idx on cdn_files using gin (app_id, search_text gin_trgm_ops)`,
  `create index cdn_files_tags_idx on cdn_files using gin (app_id, tags)`,
  `create index cdn_files_purge_idx on cdn_files (purge_at) where purge_at is not null`,
  `create index cdn_files_receiving_idx on cdn_files (inserted_at) where state = 'receiving'`,
  `create table cdn_renditions (
    app_id bigint not null,
    cdn_file_id bigint not null,
    version integer not null,
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    label text not null,
    key text not null,
    mime text not null,
    size bigint not null check (size >= 0),
    primary key (app_id, cdn_file_id, version, label),
    constraint cdn_renditions_file_fkey foreign key (app_id, cdn_file_id) references cdn_files (app_id, id)
  )`,
  `create index cdn_renditions_key_idx on cdn_renditions (app_id, key)`,
  `create table cdn_file_versions (
    app_id bigint not null,
    cdn_file_id bigint not null,
    version integer not null,
    key text not null,
    original text not null,
    mime text not null,
    size bigint not null check (size >= 0),
    width integer,
    height integer,
    inserted_at timestamptz not null,
    purge_at timestamptz not null,
    primary key (app_id, cdn_file_id, version),
    constraint cdn_file_versions_file_fkey foreign key (app_id, cdn_file_id) references cdn_files (app_id, id)
  )`,
  `create index cdn_file_versions_purge_idx on cdn_file_versions (purge_at)`,
  `create table cdn_usages (
    app_id bigint not null references apps (id),
    id bigint generated always as identity,
    key text not null,
    entity_type text not null,
    entity_id text not null,
    field text not null,
    label text,
    url text not null,
    inserted_at timestamptz not null,
    primary key (app_id, id)
  )`,
  `create index cdn_usages_key_idx on cdn_usages (app_id, key, id)`,
  `create index cdn_usages_entity_idx on cdn_usages (app_id, entity_type, entity_id)`,
];

export class Media1763700000004 implements MigrationInterface {
  readonly name = 'Media1763700000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}

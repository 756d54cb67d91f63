import type { MigrationInterface, QueryRunner } from 'typeorm';

// A blob is written once. `content` is the public file; `original` is the upload if it differs. Public keys point at
// blobs. Usages are counted when read, so their number is not stored.
const STATEMENTS = [
  `alter table cdn_files drop column usage_count, alter column original drop not null, add column content text`,
  `alter table cdn_files drop constraint cdn_files_received_check`,
  `update cdn_files set content = original where content is null`,
  `alter table cdn_files alter column content set not null, add constraint cdn_files_received_check check (
    state = 'receiving' or (key is not null and filename is not null and kind is not null and mime is not null
      and size is not null)
  )`,
  `alter table cdn_files drop column search_text, add column search_text text not null default ''`,
  `update cdn_files set search_text = lower(concat_ws(' ', filename, alt, caption, array_to_string(tags, ' ')))`,
  `create index cdn_files_search_idx on cdn_files using gin (app_id, search_text gin_trgm_ops)`,
  `drop index cdn_files_tags_idx`,
  `alter table cdn_renditions add column content text not null`,
  `alter table cdn_file_versions alter column original drop not null, add column content text not null`,
  `create index cdn_file_versions_key_idx on cdn_file_versions (app_id, key)`,
  `create table cdn_pdf_pages (
    app_id bigint not null,
    cdn_file_id bigint not null,
    version integer not null,
    page integer not null check (page > 0),
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    key text not null,
    mime text not null,
    size bigint not null check (size >= 0),
    content text not null,
    primary key (app_id, cdn_file_id, version, page),
    constraint cdn_pdf_pages_file_fkey foreign key (app_id, cdn_file_id) references cdn_files (app_id, id)
  )`,
  `create index cdn_pdf_pages_key_idx on cdn_pdf_pages (app_id, key)`,
  `create schema job_queue`,
  `create table job_queue.workers (worker text primary key, seen_at timestamptz not null)`,
  `create index cdn_files_content_idx on cdn_files (app_id, content)`,
  `create index cdn_files_original_idx on cdn_files (app_id, original) where original is not null`,
  `create index cdn_renditions_content_idx on cdn_renditions (app_id, content)`,
  `create index cdn_file_versions_content_idx on cdn_file_versions (app_id, content)`,
  `create index cdn_file_versions_original_idx on cdn_file_versions (app_id, original) where original is not null`,
  `create index cdn_pdf_pages_content_idx on cdn_pdf_pages (app_id, content)`,
];

export class MediaObjects1763700000006 implements MigrationInterface {
  readonly name = 'MediaObjects1763700000006';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}

import { appId, bigint, boolean, bytea, identity, integer, text, texts, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const FILES = defineTable({
  name: 'cdn_files',
  columns: {
    app_id: appId(),
    id: identity(),
    state: text(),
    key: text().nullable(),
    folder: text().default(''),
    filename: text().nullable(),
    kind: text().nullable(),
    mime: text().nullable(),
    size: bigint().nullable(),
    width: integer().nullable(),
    height: integer().nullable(),
    version: integer().default(1),
    processing: text().default('pending'),
    preset_id: bigint().nullable(),
    original: text().nullable(),
    checksum: bytea().nullable(),
    alt: text().nullable(),
    caption: text().nullable(),
    description: text().nullable(),
    tags: texts().default([]),
    source: text().nullable(),
    hidden: boolean().default(false),
    hidden_by: text().nullable(),
    hidden_at: timestamptz().nullable(),
    hidden_note: text().nullable(),
    stays_visible: boolean().default(false),
    deleted_at: timestamptz().nullable(),
    deleted_by: text().nullable(),
    purge_at: timestamptz().nullable(),
    last_modified: timestamptz(),
    inserted_at: timestamptz(),
    content: text(),
    search_text: text().default(''),
  },
  foreignKeys: {
    cdn_files_app_id_fkey: ['apps', { app_id: 'id' }],
    cdn_files_preset_fkey: ['cdn_upload_presets', { app_id: 'app_id', preset_id: 'id' }],
  },
  uniques: {
    cdn_files_key_key: ['app_id', 'key'],
  },
  checks: {
    cdn_files_kind_check: "kind in ('image', 'vector', 'video', 'audio', 'doc')",
    cdn_files_processing_check: "processing in ('pending', 'done', 'failed')",
    cdn_files_received_check:
      "state = 'receiving' or (key is not null and filename is not null and kind is not null and mime is not null and size is not null)",
    cdn_files_size_check: 'size >= 0',
    cdn_files_state_check: "state in ('receiving', 'active', 'trashed')",
    cdn_files_trash_check:
      "(state = 'trashed') = (deleted_at is not null) and (deleted_at is null) = (purge_at is null)",
    cdn_files_version_check: 'version >= 1',
  },
  indexes: {
    cdn_files_by_change_idx: { columns: ['app_id', 'last_modified', 'id'], where: "state = 'active'" },
    cdn_files_by_insertion_idx: { columns: ['app_id', 'inserted_at', 'id'], where: "state = 'active'" },
    cdn_files_by_size_idx: { columns: ['app_id', 'size', 'id'], where: "state = 'active'" },
    cdn_files_content_idx: ['app_id', 'content'],
    cdn_files_name_key: { columns: ['app_id', 'folder', 'filename'], unique: true, where: "state = 'active'" },
    cdn_files_original_idx: { columns: ['app_id', 'original'], where: 'original is not null' },
    cdn_files_pending_idx: { columns: ['last_modified'], where: "processing = 'pending'" },
    cdn_files_purge_idx: { columns: ['purge_at'], where: 'purge_at is not null' },
    cdn_files_receiving_idx: { columns: ['inserted_at'], where: "state = 'receiving'" },
    cdn_files_trash_idx: { columns: ['app_id', 'deleted_at', 'id'], where: "state = 'trashed'" },
  },
  sqlIndexes: {
    cdn_files_branch_idx: 'for prefixes',
    cdn_files_folder_idx: 'by an expression',
    cdn_files_kind_idx: 'by an expression',
    cdn_files_listed_idx: 'by an expression',
    cdn_files_search_idx: 'by letter triples',
  },
});

export const FILE_VERSIONS = defineTable({
  name: 'cdn_file_versions',
  columns: {
    app_id: appId(),
    cdn_file_id: bigint().primary(),
    version: integer().primary(),
    key: text(),
    original: text().nullable(),
    mime: text(),
    size: bigint(),
    width: integer().nullable(),
    height: integer().nullable(),
    inserted_at: timestamptz(),
    purge_at: timestamptz(),
    content: text(),
  },
  foreignKeys: {
    cdn_file_versions_file_fkey: ['cdn_files', { app_id: 'app_id', cdn_file_id: 'id' }],
  },
  checks: {
    cdn_file_versions_size_check: 'size >= 0',
  },
  indexes: {
    cdn_file_versions_content_idx: ['app_id', 'content'],
    cdn_file_versions_key_idx: ['app_id', 'key'],
    cdn_file_versions_original_idx: { columns: ['app_id', 'original'], where: 'original is not null' },
    cdn_file_versions_purge_idx: ['purge_at'],
  },
});

export const RENDITIONS = defineTable({
  name: 'cdn_renditions',
  columns: {
    app_id: appId(),
    cdn_file_id: bigint().primary(),
    version: integer().primary(),
    width: integer(),
    height: integer(),
    label: text().primary(),
    key: text(),
    mime: text(),
    size: bigint(),
    content: text(),
    listed: boolean().default(true),
  },
  foreignKeys: {
    cdn_renditions_file_fkey: ['cdn_files', { app_id: 'app_id', cdn_file_id: 'id' }],
  },
  checks: {
    cdn_renditions_height_check: 'height > 0',
    cdn_renditions_size_check: 'size >= 0',
    cdn_renditions_width_check: 'width > 0',
  },
  indexes: {
    cdn_renditions_content_idx: ['app_id', 'content'],
    cdn_renditions_key_idx: ['app_id', 'key'],
  },
});

/** Keys of renditions that a file no longer has. They serve the content of the file. */
export const RETIRED_RENDITIONS = defineTable({
  name: 'cdn_retired_renditions',
  columns: {
    app_id: appId(),
    cdn_file_id: bigint().primary(),
    label: text().primary(),
    key: text(),
  },
  foreignKeys: {
    cdn_retired_renditions_file_fkey: ['cdn_files', { app_id: 'app_id', cdn_file_id: 'id' }],
  },
  indexes: {
    cdn_retired_renditions_key_idx: ['app_id', 'key'],
  },
});

export const PDF_PAGES = defineTable({
  name: 'cdn_pdf_pages',
  columns: {
    app_id: appId(),
    cdn_file_id: bigint().primary(),
    version: integer().primary(),
    page: integer().primary(),
    width: integer(),
    height: integer(),
    key: text(),
    mime: text(),
    size: bigint(),
    content: text(),
    listed: boolean().default(true),
  },
  foreignKeys: {
    cdn_pdf_pages_file_fkey: ['cdn_files', { app_id: 'app_id', cdn_file_id: 'id' }],
  },
  checks: {
    cdn_pdf_pages_height_check: 'height > 0',
    cdn_pdf_pages_page_check: 'page > 0',
    cdn_pdf_pages_size_check: 'size >= 0',
    cdn_pdf_pages_width_check: 'width > 0',
  },
  indexes: {
    cdn_pdf_pages_content_idx: ['app_id', 'content'],
    cdn_pdf_pages_key_idx: ['app_id', 'key'],
  },
});

/** Hashes of the keys of purged files, which no other file may get. */
export const PURGED_KEYS = defineTable({
  name: 'cdn_purged_keys',
  columns: {
    app_id: appId(),
    key_hash: bytea().primary(),
  },
  foreignKeys: {
    cdn_purged_keys_app_id_fkey: ['apps', { app_id: 'id' }],
  },
});

export const USAGES = defineTable({
  name: 'cdn_usages',
  columns: {
    app_id: appId(),
    id: identity(),
    key: text(),
    entity_type: text(),
    entity_id: text(),
    field: text(),
    label: text().nullable(),
    url: text(),
    inserted_at: timestamptz(),
  },
  foreignKeys: {
    cdn_usages_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  indexes: {
    cdn_usages_entity_idx: ['app_id', 'entity_type', 'entity_id'],
    cdn_usages_key_idx: ['app_id', 'key', 'id'],
  },
});

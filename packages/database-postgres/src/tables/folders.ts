import { appId, boolean, identity, integer, integers, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const FOLDERS = defineTable({
  name: 'cdn_folders',
  columns: {
    app_id: appId(),
    id: identity(),
    path: text(),
    parent: text(),
    name: text(),
    description: text().nullable(),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    cdn_folders_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  deferrableUniques: {
    cdn_folders_name_key: ['app_id', 'parent', 'name'],
    cdn_folders_path_key: ['app_id', 'path'],
  },
  checks: {
    cdn_folders_path_check: "path <> ''",
  },
  sqlIndexes: {
    cdn_folders_branch_idx: 'for prefixes',
  },
});

export const UPLOAD_PRESETS = defineTable({
  name: 'cdn_upload_presets',
  columns: {
    app_id: appId(),
    id: identity(),
    name: text(),
    output_format: text(),
    max_width: integer(),
    quality: integer(),
    rendition_widths: integers().default([]),
    is_default: boolean().default(false),
    inserted_at: timestamptz(),
    updated_at: timestamptz(),
  },
  foreignKeys: {
    cdn_upload_presets_app_id_fkey: ['apps', { app_id: 'id' }],
  },
  uniques: {
    cdn_upload_presets_name_key: ['app_id', 'name'],
  },
  checks: {
    cdn_upload_presets_max_width_check: 'max_width between 16 and 16384',
    cdn_upload_presets_output_format_check: "output_format in ('original', 'webp', 'jpeg', 'avif')",
    cdn_upload_presets_quality_check: 'quality between 1 and 100',
  },
  indexes: {
    cdn_upload_presets_default_key: { columns: ['app_id'], unique: true, where: 'is_default' },
  },
});

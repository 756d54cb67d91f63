import { Type, type TSchema } from '@sinclair/typebox';
import { integer, listOf, component, nullable, record, text } from '../../http/shapes.js';

export const FolderShape: TSchema = component('CdnFolder', {
  id: integer,
  name: text,
  key: text,
  parent_cdn_folder_path: nullable(text),
  description: nullable(text),
  file_count: integer,
  total_file_count: integer,
  folders: listOf(Type.Unsafe<object>({ $ref: '#/components/schemas/CdnFolder' })),
});

export const DeletedFolderShape = record({ data: record({ deleted_files: integer, deleted_folders: integer }) });

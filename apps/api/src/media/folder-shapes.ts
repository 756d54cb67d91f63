import { Type, type TSchema } from '@sinclair/typebox';
import { integer, listOf, named, nullable, record, text, truth } from '../http/shapes.js';

/** A node of the folder tree; `folders` are nodes of the same shape, however deep. */
export const FolderShape: TSchema = named('CdnFolder', {
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
export const DoneShape = record({ success: truth, message: text });

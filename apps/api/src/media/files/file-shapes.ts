import type { Guard } from '../../http/route.js';
import { dateTime, integer, listOf, component, nullable, oneOf, record, text, boolean } from '../../http/shapes.js';

const RenditionShape = record({ label: text, width: integer, height: integer, size: integer, key: text, url: text });

const IDENTITY_FIELDS = { id: integer, filename: text, key: text };

const DETAIL_FIELDS = {
  folder: nullable(text),
  size: integer,
  mime: nullable(text),
  width: nullable(integer),
  height: nullable(integer),
  alt: nullable(text),
  caption: nullable(text),
  tags: listOf(text),
  description: nullable(text),
  version: integer,
  renditions: listOf(RenditionShape),
  usage_count: integer,
  hidden: boolean,
  hidden_by: nullable(text),
  hidden_at: nullable(dateTime),
  hidden_note: nullable(text),
  source: nullable(text),
  processing: oneOf(['pending', 'done', 'failed']),
  last_modified: dateTime,
  inserted_at: dateTime,
};

export const FileShape = component('CdnFile', { ...IDENTITY_FIELDS, url: text, ...DETAIL_FIELDS });
export const EditedFileShape = component('EditedCdnFile', { ...IDENTITY_FIELDS, ...DETAIL_FIELDS });
export const TrashEntryShape = component('TrashEntry', {
  ...IDENTITY_FIELDS,
  url: text,
  ...DETAIL_FIELDS,
  deleted_at: dateTime,
  deleted_by: nullable(text),
  purge_at: dateTime,
});
export const VersionShape = component('CdnFileVersion', {
  version: integer,
  size: integer,
  mime: text,
  url: text,
  inserted_at: dateTime,
  purge_at: dateTime,
});

export const DoneShape = record({ success: boolean, message: text });

export const ResultByIdShape = record({ id: integer, success: boolean, message: text });
export const ResultByKeyShape = record({ key: text, success: boolean, message: text });

export const FILE_GUARD: Guard = { kind: 'file', shownBy: '/cdn/files/:id' };

import { dateTime, integer, listOf, named, nullable, oneOf, record, text, truth } from '../http/shapes.js';

const RenditionShape = record({ label: text, width: integer, height: integer, size: integer, key: text, url: text });

const OWN = {
  id: integer,
  filename: text,
  key: text,
};

const REST = {
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
  hidden: truth,
  hidden_by: nullable(text),
  hidden_at: nullable(dateTime),
  hidden_note: nullable(text),
  source: nullable(text),
  processing: oneOf(['pending', 'done', 'failed']),
  last_modified: dateTime,
  inserted_at: dateTime,
};

export const FileShape = named('CdnFile', { ...OWN, url: text, ...REST });
/** What an edit answers. */
export const EditedFileShape = named('EditedCdnFile', { ...OWN, ...REST });
export const TrashEntryShape = named('TrashEntry', {
  ...OWN,
  url: text,
  ...REST,
  deleted_at: dateTime,
  deleted_by: nullable(text),
  purge_at: dateTime,
});
export const VersionShape = named('CdnFileVersion', {
  version: integer,
  size: integer,
  mime: text,
  url: text,
  inserted_at: dateTime,
  purge_at: dateTime,
});

/** What became of one entry of a call with several. */
export const ResultById = record({ id: integer, success: truth, message: text });
export const ResultByKey = record({ key: text, success: truth, message: text });

import { parseInteger } from '@back-office/kernel';
import type { FileMoves, FileResult, MediaFileQueries, MediaTrash } from '@back-office/media';
import { ok, type HandlerResult } from '../../http/answer.js';
import { invalidParameter } from '../../http/errors.js';
import { parseListEntries } from '../../http/query-text.js';
import { IsOptional, orNull, ValidatedByDomain } from '../../http/request-fields.js';
import { route, type Call, type Route } from '../../http/route.js';
import { integer, listOf, record, text } from '../../http/shapes.js';
import { checkEntryCount, presentResult } from '../files/entry-results.js';
import { DoneShape, FILE_GUARD, ResultByIdShape, ResultByKeyShape } from '../files/file-shapes.js';
import { Ids } from '../files/media-fields.js';

class CdnFileIds {
  @Ids() ids!: number[];
}

/** Body of a DELETE call; ignored when the call has a query. */
class DeleteCdnFiles {
  @IsOptional()
  @ValidatedByDomain({
    type: ['array', 'null'] as never,
    items: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  })
  files?: unknown;
}

class DeleteCdnFileIds {
  @IsOptional()
  @ValidatedByDomain({
    anyOf: [
      { type: 'array', items: { type: 'integer', format: 'int64' } },
      { type: 'integer' },
      { type: 'string', description: 'ids separated by commas' },
    ],
  })
  ids?: unknown;
}

class DeleteCdnFile {
  @IsOptional() @ValidatedByDomain(orNull({ type: 'string', description: 'file key' })) file?: unknown;
}

const NOT_FOUND = 'API.CdnFiles.FileNotFound';
const DONE_MESSAGES = {
  delete: 'The file is in Trash',
  restore: 'The file is restored',
  purge: 'The file is removed',
};

export function trashRoutes(trash: MediaTrash, moves: FileMoves, queries: Pick<MediaFileQueries, 'findId'>): Route[] {
  return [
    route({
      method: 'delete',
      path: '/cdn',
      guard: {
        ...FILE_GUARD,
        id: async ({ app, query, body }) => (await queries.findId(app.id, keyOf(query, body as DeleteCdnFile))) ?? 0,
      },
      caller: 'app',
      scope: 'media:write',
      summary: 'Puts a file into Trash by key; its URL keeps working',
      query: { file: { schema: text, description: 'file key' } },
      body: DeleteCdnFile,
      bodyOptional: true,
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query, body }) => {
        const key = keyOf(query, body);
        return presentSingleResult(await trash.delete(app.id, [key], app.settings.media), DONE_MESSAGES.delete);
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/list',
      caller: 'app',
      scope: 'media:write',
      summary: 'Puts several files into Trash',
      query: { files: { schema: text, description: 'files[0][key]=…, or the same in a JSON body' } },
      body: DeleteCdnFiles,
      bodyOptional: true,
      answers: { 200: record({ data: listOf(ResultByKeyShape) }) },
      failedRows: [NOT_FOUND, 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query, body }) => {
        const keys = keysOf(query['files'] ?? body.files);
        const results = await trash.delete(app.id, checkEntryCount(keys), app.settings.media);
        return ok(keys.map((key, index) => ({ key, ...presentResult(results[index], DONE_MESSAGES.delete, app) })));
      },
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/restore',
      guard: FILE_GUARD,
      caller: 'app',
      scope: 'media:write',
      summary: 'Restores a file from Trash to its folder',
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND],
      missingKey: NOT_FOUND,
      handle: async ({ app, id }) => presentSingleResult(await moves.restore(app.id, [id]), DONE_MESSAGES.restore),
    }),
    route({
      method: 'post',
      path: '/cdn/files/restore',
      caller: 'app',
      scope: 'media:write',
      summary: 'Restores several files from Trash',
      body: CdnFileIds,
      answers: { 200: record({ data: listOf(ResultByIdShape) }) },
      failedRows: [NOT_FOUND],
      handle: async ({ app, body: { ids } }) => {
        const results = await moves.restore(app.id, checkEntryCount(ids));
        return ok(ids.map((id, index) => ({ id, ...presentResult(results[index], DONE_MESSAGES.restore, app) })));
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/files/:id/purge',
      guard: FILE_GUARD,
      caller: 'app',
      scope: 'media:write',
      summary: 'Purges a file in Trash',
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.FileNotInTrash'],
      missingKey: NOT_FOUND,
      handle: async ({ app, id }) => presentSingleResult(await trash.purge(app.id, [id]), DONE_MESSAGES.purge),
    }),
    route({
      method: 'delete',
      path: '/cdn/files/purge',
      caller: 'app',
      scope: 'media:write',
      summary: 'Purges several files in Trash',
      query: { ids: { schema: text, description: 'ids=1,2, or the same as a list in a JSON body' } },
      body: DeleteCdnFileIds,
      bodyOptional: true,
      answers: {
        200: record({ data: listOf(record({ id: integer, success: DoneShape.properties.success, message: text })) }),
      },
      failedRows: [NOT_FOUND, 'API.CdnFiles.FileNotInTrash'],
      handle: async ({ app, query, body }) => {
        const ids = idsOf(query['ids'] === undefined ? body.ids : parseListEntries(query['ids']));
        const results = await trash.purge(app.id, checkEntryCount(ids));
        return ok(ids.map((id, index) => ({ id, ...presentResult(results[index], DONE_MESSAGES.purge, app) })));
      },
    }),
  ];
}

function keyOf(query: Call['query'], body: DeleteCdnFile): string {
  const key = query['file'] ?? body.file;
  if (typeof key !== 'string' || key === '') throw invalidParameter('file');
  return key;
}

function presentSingleResult([result]: readonly FileResult[], message: string): HandlerResult {
  return result ?? ok({ success: true, message });
}

/**
 * Accepts the keys in a body, as `files[0][key]=…` or as `files[][key]=…`. The parser turns the last form into one
 * entry with all keys.
 */
function keysOf(value: unknown): string[] {
  const keys = (Array.isArray(value) ? value : []).flatMap(
    (entry: unknown) => (entry as { key?: unknown } | null)?.key,
  );
  if (keys.length === 0 || !keys.every((key) => typeof key === 'string')) throw invalidParameter('files');
  return keys;
}

function idsOf(value: unknown): number[] {
  const entries = [value].flat().flatMap((entry: unknown) => (typeof entry === 'string' ? entry.split(',') : [entry]));
  const ids = entries.map((entry) => (typeof entry === 'string' ? parseInteger(entry.trim()) : entry));
  if (ids.length === 0 || !ids.every((id) => Number.isInteger(id))) throw invalidParameter('ids');
  return ids as number[];
}

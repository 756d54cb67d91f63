import { isRefusal, refuse, wholeNumber, type Refusal } from '@back-office/kernel';
import { fileName, folderPath, tagsOf } from '@back-office/media';
import { ok, okText, type Outcome } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import { HttpProblem } from '../http/errors.js';
import { listEntries } from '../http/query-text.js';
import { Flag, RecordId, Text } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { integer, listOf, record, text } from '../http/shapes.js';
import { EditedFileShape, FileShape, ResultById, ResultByKey } from './file-shapes.js';
import { DoneShape } from './folder-shapes.js';
import { Anything, Ids, Tags } from './media-fields.js';
import type { Outcome as FileOutcome } from './named-files.query.js';
import type { TypeOrmMediaFiles } from './typeorm-media-files.js';
import type { TypeOrmMediaPlaces } from './typeorm-media-places.js';
import type { TypeOrmMediaTrash } from './typeorm-media-trash.js';

const optional = true;
const LONGEST_PATH = 1_024;
const LONGEST_TEXT = 5_000;
const MOST_ENTRIES = 10_000;

class PatchCdnFile {
  @RecordId() id!: number;
  @Text({ max: LONGEST_TEXT, optional }) alt?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) caption?: string | null;
  @Tags() tags?: string | string[] | null;
  @Text({ optional }) name?: string | null;
  @Flag({ optional }) hidden?: boolean | null;
  @Text({ max: LONGEST_TEXT, optional }) hidden_note?: string | null;
}

class MoveCdnFiles {
  @Ids() ids!: number[];
  @Text({ max: LONGEST_PATH, optional }) folder?: string | null;
}

class CdnFileIds {
  @Ids() ids!: number[];
}

/** What a DELETE may carry in its body when its query names nothing. */
class DeleteCdnFiles {
  @Anything() files?: unknown;
}

class DeleteCdnFileIds {
  @Anything() ids?: unknown;
}

class DeleteCdnFile {
  @Anything() file?: unknown;
}

const NOT_FOUND = 'API.CdnFiles.FileNotFound';
const DONE = {
  delete: 'The file is in Trash',
  restore: 'The file is restored',
  purge: 'The file is removed',
  move: 'The file is moved',
};

/** One file by its id, and all changes of where a file is and what is said of it. */
export function fileRoutes(files: TypeOrmMediaFiles, trash: TypeOrmMediaTrash, places: TypeOrmMediaPlaces): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/files/:id',
      caller: 'app',
      extension: true,
      summary: 'A file, also one in Trash',
      answers: { 200: record({ data: FileShape }) },
      missing: NOT_FOUND,
      handle: async ({ app, id }) => {
        const found = await files.findJson(app.id, id);
        return found === undefined ? refuse(NOT_FOUND) : okText(found);
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/file',
      caller: 'app',
      summary: 'Edits what is said of a file; its key and its address never change',
      body: PatchCdnFile,
      answers: { 200: record({ data: EditedFileShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.KeyAlreadyExists'],
      handle: async ({ app, body }) => {
        const name = body.name === undefined || body.name === null ? undefined : fileName(body.name);
        if (isRefusal(name)) return name;
        const edited = await files.edit(app.id, body.id, {
          name,
          alt: body.alt,
          caption: body.caption,
          tags: body.tags === undefined ? undefined : tagsOf(body.tags ?? []),
          hidden: body.hidden ?? undefined,
          hiddenNote: body.hidden_note,
        });
        return isRefusal(edited) ? edited : okText(edited);
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/files/move',
      caller: 'app',
      summary: 'Moves files into a folder, which is made where it is missing; addresses stay',
      body: MoveCdnFiles,
      answers: { 200: record({ data: listOf(ResultById) }) },
      failedRows: [NOT_FOUND, 'API.CdnFiles.KeyAlreadyExists'],
      handle: async ({ app, body: { ids, folder: sent } }) => {
        if (typeof sent !== 'string') return refuse("can't be blank", 'folder');
        const folder = folderPath(sent, 'folder');
        if (isRefusal(folder)) return folder;
        const outcomes = await places.move(app.id, bounded(ids), folder);
        return ok(ids.map((id, index) => ({ id, ...resultOf(outcomes[index], DONE.move, app) })));
      },
    }),
    route({
      method: 'delete',
      path: '/cdn',
      caller: 'app',
      summary: 'Puts a file into Trash, by its key; its address keeps working',
      query: { file: { schema: text, description: 'key of the file' } },
      body: DeleteCdnFile,
      bodyOptional: true,
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query, body }) => {
        const key = query['file'] ?? body.file;
        if (typeof key !== 'string' || key === '') throw new HttpProblem(400);
        return single(await trash.delete(app.id, [key], app.settings.media), DONE.delete);
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/list',
      caller: 'app',
      summary: 'Puts several files into Trash',
      query: { files: { schema: text, description: 'files[0][key]=…, or the same in a JSON body' } },
      body: DeleteCdnFiles,
      bodyOptional: true,
      answers: { 200: record({ data: listOf(ResultByKey) }) },
      failedRows: [NOT_FOUND, 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query, body }) => {
        const keys = keysOf(query['files'] ?? body.files);
        const outcomes = await trash.delete(app.id, bounded(keys), app.settings.media);
        return ok(keys.map((key, index) => ({ key, ...resultOf(outcomes[index], DONE.delete, app) })));
      },
    }),
    route({
      method: 'post',
      path: '/cdn/files/:id/restore',
      caller: 'app',
      summary: 'Brings a file back from Trash into its folder',
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND],
      missing: NOT_FOUND,
      handle: async ({ app, id }) => single(await places.restore(app.id, [id]), DONE.restore),
    }),
    route({
      method: 'post',
      path: '/cdn/files/restore',
      caller: 'app',
      summary: 'Brings several files back from Trash',
      body: CdnFileIds,
      answers: { 200: record({ data: listOf(ResultById) }) },
      failedRows: [NOT_FOUND],
      handle: async ({ app, body: { ids } }) => {
        const outcomes = await places.restore(app.id, bounded(ids));
        return ok(ids.map((id, index) => ({ id, ...resultOf(outcomes[index], DONE.restore, app) })));
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/files/:id/purge',
      caller: 'app',
      summary: 'Removes a file in Trash for good',
      answers: { 200: record({ data: DoneShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.FileNotInTrash'],
      missing: NOT_FOUND,
      handle: async ({ app, id }) => single(await trash.purge(app.id, [id]), DONE.purge),
    }),
    route({
      method: 'delete',
      path: '/cdn/files/purge',
      caller: 'app',
      summary: 'Removes several files in Trash for good',
      query: { ids: { schema: text, description: 'ids=1,2, or the same as a list in a JSON body' } },
      body: DeleteCdnFileIds,
      bodyOptional: true,
      answers: {
        200: record({ data: listOf(record({ id: integer, success: DoneShape.properties.success, message: text })) }),
      },
      failedRows: [NOT_FOUND, 'API.CdnFiles.FileNotInTrash'],
      handle: async ({ app, query, body }) => {
        const ids = idsOf(query['ids'] === undefined ? body.ids : listEntries(query['ids']));
        const outcomes = await trash.purge(app.id, bounded(ids));
        return ok(ids.map((id, index) => ({ id, ...resultOf(outcomes[index], DONE.purge, app) })));
      },
    }),
  ];
}

function single([outcome]: readonly FileOutcome[], message: string): Outcome {
  return outcome ?? ok({ success: true, message });
}

function resultOf(outcome: Refusal | undefined, done: string, app: AppContext) {
  return { success: outcome === undefined, message: outcome === undefined ? done : app.say(outcome.refused) };
}

function bounded<Entry>(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length > MOST_ENTRIES) throw new HttpProblem(413);
  return entries;
}

/** `files[0][key]=…`, `files[][key]=…`, which is read as one entry with all keys, or their like in a body. */
function keysOf(sent: unknown): string[] {
  const keys = (Array.isArray(sent) ? sent : []).flatMap((each: unknown) => (each as { key?: unknown } | null)?.key);
  if (keys.length === 0 || !keys.every((key) => typeof key === 'string')) throw new HttpProblem(400);
  return keys;
}

/** The entries of a query, or what a body holds: a list, a text such as `1,2`, or one number. */
function idsOf(sent: unknown): number[] {
  const texts = [sent].flat().flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : [each]));
  const ids = texts.map((each) => (typeof each === 'string' ? wholeNumber(each.trim()) : each));
  if (ids.length === 0 || !ids.every((id) => Number.isInteger(id))) throw new HttpProblem(400);
  return ids as number[];
}

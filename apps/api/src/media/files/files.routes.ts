import { isRefusal, refuse } from '@back-office/kernel';
import {
  type FileMoves,
  parseFileName,
  parseFolderPath,
  type MediaFileQueries,
  type MediaFiles,
  parseTags,
} from '@back-office/media';
import { ok, okJson } from '../../http/answer.js';
import { IsBoolean, IsOptional, IsRecordId, MaxLength } from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { listOf, record } from '../../http/shapes.js';
import { checkEntryCount, presentResult } from './entry-results.js';
import { EditedFileShape, FILE_GUARD, FileShape, ResultByIdShape } from './file-shapes.js';
import { Ids, MAX_PATH_LENGTH, MAX_TEXT_LENGTH, Tags } from './media-fields.js';

class PatchCdnFile {
  @IsRecordId() id!: number;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) alt?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) caption?: string | null;
  @IsOptional() @Tags() tags?: string | string[] | null;
  @IsOptional() @MaxLength(255) name?: string | null;
  @IsOptional() @IsBoolean() hidden?: boolean | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) hidden_note?: string | null;
}

class MoveCdnFiles {
  @Ids() ids!: number[];
  @IsOptional() @MaxLength(MAX_PATH_LENGTH) folder?: string | null;
}

const NOT_FOUND = 'API.CdnFiles.FileNotFound';
const MOVED_MESSAGE = 'The file is moved';

export interface FilePorts {
  readonly files: MediaFiles;
  readonly queries: MediaFileQueries;
  readonly moves: FileMoves;
}

export function fileRoutes({ files, queries, moves }: FilePorts): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/files/:id',
      caller: 'app',
      scope: 'media:read',
      extension: true,
      summary: 'Reads a file, also in Trash',
      answers: { 200: record({ data: FileShape }) },
      missingKey: NOT_FOUND,
      handle: async ({ app, id }) => {
        const fileJson = await queries.find(app.id, id);
        return fileJson === undefined ? refuse(NOT_FOUND) : okJson(fileJson);
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/file',
      guard: { ...FILE_GUARD, id: ({ body }) => (body as PatchCdnFile).id },
      caller: 'app',
      scope: 'media:write',
      summary: 'Edits the details of a file; key and URL stay the same',
      body: PatchCdnFile,
      answers: { 200: record({ data: EditedFileShape }) },
      refusals: [NOT_FOUND, 'API.CdnFiles.KeyAlreadyExists'],
      handle: async ({ app, body }) => {
        const name = body.name === undefined || body.name === null ? undefined : parseFileName(body.name);
        if (isRefusal(name)) return name;
        const editedFileJson = await files.edit(app.id, body.id, {
          name,
          alt: body.alt,
          caption: body.caption,
          tags: body.tags === undefined ? undefined : parseTags(body.tags ?? []),
          hidden: body.hidden ?? undefined,
          hiddenNote: body.hidden_note,
        });
        return isRefusal(editedFileJson) ? editedFileJson : okJson(editedFileJson);
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/files/move',
      caller: 'app',
      scope: 'media:write',
      summary: 'Moves files into a folder, creating it if missing; URLs stay the same',
      body: MoveCdnFiles,
      answers: { 200: record({ data: listOf(ResultByIdShape) }) },
      failedRows: [NOT_FOUND, 'API.CdnFiles.KeyAlreadyExists'],
      handle: async ({ app, body: { ids, folder: folderKey } }) => {
        if (typeof folderKey !== 'string') return refuse("can't be blank", 'folder');
        const folder = parseFolderPath(folderKey, 'folder');
        if (isRefusal(folder)) return folder;
        const results = await moves.move(app.id, checkEntryCount(ids), folder);
        return ok(ids.map((id, index) => ({ id, ...presentResult(results[index], MOVED_MESSAGE, app) })));
      },
    }),
  ];
}

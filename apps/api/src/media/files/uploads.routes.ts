import { isRefusal, refuse, type Refusal } from '@back-office/kernel';
import {
  parseFileName,
  parseFolderPath,
  type FolderPath,
  type MediaFiles,
  sanitizeFileName,
  type NewFile,
  parseTags,
} from '@back-office/media';
import type { HandlerResult } from '../../http/answer.js';
import type { AppContext } from '@back-office/apps';
import type { ReceivedFile } from '../../http/multipart.js';
import { IsIn, IsOptional, MaxLength } from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { record } from '../../http/shapes.js';
import type { ContentIntake } from './content-intake.js';
import { FileShape } from './file-shapes.js';
import { FormNumber, FormTags, MAX_PATH_LENGTH, MAX_TEXT_LENGTH, parseFormNumber } from './media-fields.js';
import { limitToGrant, UPLOAD_NOT_GRANTED } from './upload-tokens.routes.js';
import type { Publication } from '../serving/publication.js';

class UploadCdnFile {
  @IsOptional() @MaxLength(MAX_PATH_LENGTH) folder?: string | null;
  @IsOptional() @MaxLength(255) name?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) description?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) alt?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) caption?: string | null;
  @IsOptional() @FormTags() tags?: string | string[] | null;
  @IsOptional() @MaxLength(255) source?: string | null;
  @IsOptional() @FormNumber() preset_id?: string | null;
  @IsOptional() @IsIn(['error', 'rename']) on_conflict?: 'error' | 'rename' | null;
}

export const FILE_REQUIRED = refuse('API.CdnFiles.FileRequired');

export function uploadRoutes(intake: ContentIntake, files: MediaFiles, publication: Publication): Route[] {
  const upload = async (app: AppContext, file: ReceivedFile, details: NewFile): Promise<HandlerResult> => {
    const owner = { id: app.id, prefix: app.settings.media.prefix };
    const content = await intake.receive(owner, file);
    if (isRefusal(content)) return content;
    const storedFile = await files.store(owner, content, details);
    // Discards the new upload after a refusal, and when a repeated keyed call returns the file of its first run.
    if (isRefusal(storedFile) || storedFile.id !== content.receipt.id) await intake.abandon(content.receipt);
    if (isRefusal(storedFile)) return storedFile;
    const { id, key, data } = storedFile;
    const publishedJson = await publication.publish(app.id, { id, version: 1, keys: [key], mime: content.mime, data });
    return { status: 201, text: `{"data":${publishedJson}}` };
  };
  return [
    route({
      method: 'post',
      path: '/cdn/files',
      caller: 'app',
      scope: 'media:write',
      extension: true,
      summary: 'Uploads a file; images are scaled and converted in the background by their preset',
      upload: true,
      acceptsUploadTokens: true,
      body: UploadCdnFile,
      answers: { 201: record({ data: FileShape }) },
      refusals: [
        'API.CdnFiles.FileRequired',
        'API.CdnFiles.KeyAlreadyExists',
        'API.CdnFiles.UnsupportedType',
        'API.CdnFiles.ImageTooLarge',
        UPLOAD_NOT_GRANTED,
      ],
      handle: async ({ app, file, body, upload: grant }) => {
        if (file === undefined) return FILE_REQUIRED;
        const details = parseNewFile(file, body);
        if (isRefusal(details)) return details;
        const granted = limitToGrant(details, grant, blankToNull(body.folder) !== null);
        return isRefusal(granted) ? granted : upload(app, file, granted);
      },
    }),
  ];
}

function parseNewFile(file: ReceivedFile, fields: UploadCdnFile): NewFile | Refusal {
  const folder: FolderPath | Refusal = parseFolderPath(fields.folder ?? '', 'folder');
  if (isRefusal(folder)) return folder;
  const name = blankToNull(fields.name) === null ? sanitizeFileName(file.name) : parseFileName(fields.name ?? '');
  if (isRefusal(name)) return name;
  return {
    name,
    folder,
    onConflict: fields.on_conflict ?? 'error',
    presetId: parseFormNumber(fields.preset_id),
    alt: blankToNull(fields.alt),
    caption: blankToNull(fields.caption),
    description: blankToNull(fields.description),
    tags: parseTags(fields.tags ?? []),
    source: blankToNull(fields.source),
  };
}

function blankToNull(value: string | null | undefined): string | null {
  return value === undefined || value === null || value.trim() === '' ? null : value;
}

import { isRefusal, refuse, type Refusal } from '@back-office/kernel';
import { fileName, folderPath, nameFromClient, tagsOf, type FolderPath } from '@back-office/media';
import type { Outcome } from '../http/answer.js';
import type { AppContext } from '../http/app-context.js';
import type { ReceivedFile } from '../http/multipart.js';
import { OneOf, Text } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { record } from '../http/shapes.js';
import type { ContentIntake } from './content-intake.js';
import { FileShape } from './file-shapes.js';
import { FormNumber, numberOf, Tags } from './media-fields.js';
import type { Publication } from './publication.js';
import type { NewFile, TypeOrmMediaFiles } from './typeorm-media-files.js';

const optional = true;
const LONGEST_PATH = 1_024;
const LONGEST_TEXT = 5_000;

class UploadCdnFile {
  @Text({ max: LONGEST_PATH, optional }) folder?: string | null;
  @Text({ optional }) name?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) description?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) alt?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) caption?: string | null;
  @Tags() tags?: string | string[] | null;
  @Text({ optional }) source?: string | null;
  @FormNumber() preset_id?: string | null;
  @OneOf(['error', 'rename'], { optional }) on_conflict?: 'error' | 'rename' | null;
}

export const FILE_REQUIRED = refuse('API.CdnFiles.FileRequired');

/** Uploads: the only call whose answer waits for the store. */
export function uploadRoutes(intake: ContentIntake, files: TypeOrmMediaFiles, publication: Publication): Route[] {
  const upload = async (app: AppContext, file: ReceivedFile, more: NewFile): Promise<Outcome> => {
    const owner = { id: app.id, prefix: app.settings.media.prefix };
    const taken = await intake.take(owner, file);
    if (isRefusal(taken)) return taken;
    const stored = await files.store(owner, taken, more);
    // A call that was answered for by an earlier run of it has brought its bytes in vain.
    if (isRefusal(stored) || stored.id !== taken.receipt.id) await intake.abandon(taken.receipt);
    if (isRefusal(stored)) return stored;
    const { id, key, data } = stored;
    const published = await publication.publish(app.id, { id, version: 1, keys: [key], mime: taken.mime, data });
    return { status: 201, text: `{"data":${published}}` };
  };
  return [
    route({
      method: 'post',
      path: '/cdn/files',
      caller: 'app',
      extension: true,
      summary: 'Uploads a file; images are made smaller and converted in the background, as the preset says',
      upload: true,
      body: UploadCdnFile,
      answers: { 201: record({ data: FileShape }) },
      refusals: [
        'API.CdnFiles.FileRequired',
        'API.CdnFiles.KeyAlreadyExists',
        'API.CdnFiles.UnsupportedType',
        'API.CdnFiles.ImageTooLarge',
      ],
      handle: async ({ app, file, body }) => {
        if (file === undefined) return FILE_REQUIRED;
        const more = newFile(file, body);
        return isRefusal(more) ? more : upload(app, file, more);
      },
    }),
  ];
}

function newFile(file: ReceivedFile, fields: UploadCdnFile): NewFile | Refusal {
  const folder: FolderPath | Refusal = folderPath(fields.folder ?? '', 'folder');
  if (isRefusal(folder)) return folder;
  const name = textOf(fields.name) === null ? nameFromClient(file.name) : fileName(fields.name ?? '');
  if (isRefusal(name)) return name;
  return {
    name,
    folder,
    onConflict: fields.on_conflict ?? 'error',
    presetId: numberOf(fields.preset_id),
    alt: textOf(fields.alt),
    caption: textOf(fields.caption),
    description: textOf(fields.description),
    tags: tagsOf(fields.tags ?? []),
    source: textOf(fields.source),
  };
}

/** A field of a form that was left empty is absent. */
function textOf(sent: string | null | undefined): string | null {
  return sent === undefined || sent === null || sent.trim() === '' ? null : sent;
}

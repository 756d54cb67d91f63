import { isRefusal, refuse, type Refusal } from '@back-office/kernel';
import { below, folderPath, parentOf, TOP_LEVEL, type FolderPath } from '@back-office/media';
import { answered, created, ok } from '../http/answer.js';
import { IS_INVALID, RecordId, Text, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { listOf, record, text } from '../http/shapes.js';
import { DeletedFolderShape, FolderShape } from './folder-shapes.js';
import type { FolderRow, TypeOrmMediaFolders } from './typeorm-media-folders.js';

const optional = true;
const LONGEST_PATH = 1_024;
const LONGEST_TEXT = 5_000;

class CdnFolderFields {
  @Text() name!: string;
  @Text({ max: LONGEST_PATH }) key!: string;
  @Text({ max: LONGEST_PATH, optional }) parent_cdn_folder_path?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) description?: string | null;
}

class PostCdnFolder {
  @Wrapper(() => CdnFolderFields) cdn_folder!: CdnFolderFields;
}

class PatchCdnFolder {
  @RecordId() id!: number;
  @Text({ optional }) name?: string | null;
  @Text({ max: LONGEST_PATH, optional }) parent_folder?: string | null;
  @Text({ max: LONGEST_TEXT, optional }) description?: string | null;
}

const REFUSALS = [
  'API.CdnFolders.FolderNotFound',
  'API.CdnFolders.KeyAlreadyExists',
  'API.CdnFolders.ParentNotFound',
  'API.CdnFolders.InvalidParent',
];

export function folderRoutes(folders: TypeOrmMediaFolders): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/folders',
      caller: 'app',
      summary: 'The tree of folders, or the branch below one of them',
      query: { folder: { schema: text, description: 'key of the folder to begin below' } },
      answers: { 200: record({ data: listOf(FolderShape) }) },
      refusals: ['API.CdnFolders.FolderNotFound', IS_INVALID],
      handle: async ({ app, query }) => {
        const path = typeof query['folder'] === 'string' ? folderPath(query['folder'], 'folder') : TOP_LEVEL;
        if (isRefusal(path)) return path;
        const rows = await folders.branch(app.id, path);
        if (path !== TOP_LEVEL && rows.length === 0) return refuse('API.CdnFolders.FolderNotFound');
        return ok(treeBelow(rows, path));
      },
    }),
    route({
      method: 'post',
      path: '/cdn_folders',
      caller: 'app',
      summary: 'A new folder; its key is its last segment or its full path below the parent',
      body: PostCdnFolder,
      answers: { 201: record({ data: FolderShape }) },
      refusals: REFUSALS.slice(1),
      handle: async ({ app, body: { cdn_folder: fields } }) => {
        const path = pathOf(fields);
        if (isRefusal(path)) return path;
        const { name, description = null } = fields;
        return answered(await folders.add(app.id, { name, path, description }), (row) => created(nodeOf(row, [])));
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/folder',
      caller: 'app',
      summary: 'Renames a folder, describes it, or moves it with all that is in it',
      body: PatchCdnFolder,
      answers: { 200: record({ data: FolderShape }) },
      refusals: REFUSALS,
      handle: async ({ app, body }) => {
        const parent =
          typeof body.parent_folder === 'string' ? folderPath(body.parent_folder, 'parent_folder') : undefined;
        if (isRefusal(parent)) return parent;
        const edit = { name: body.name ?? undefined, description: body.description, parent };
        const edited = await folders.edit(app.id, body.id, edit);
        if (isRefusal(edited)) return edited;
        const { path, branch } = edited;
        const folder = branch.find((row) => row.path === path);
        if (folder === undefined) return refuse('API.CdnFolders.FolderNotFound');
        return ok(nodeOf(folder, treeBelow(branch, path)));
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/folder',
      caller: 'app',
      summary: 'Every file in a folder and below it goes to Trash, the folders are removed',
      query: { folder: { schema: text, description: 'key of the folder' } },
      answers: { 200: DeletedFolderShape },
      refusals: ['API.CdnFolders.FolderRequired', 'API.CdnFolders.FolderNotFound', 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query }) => {
        const sent = query['folder'];
        if (typeof sent !== 'string' || sent.trim() === '') return refuse('API.CdnFolders.FolderRequired');
        const path = folderPath(sent, 'folder');
        if (isRefusal(path)) return path;
        if (path === TOP_LEVEL) return refuse('API.CdnFolders.FolderRequired');
        const removed = await folders.remove(app.id, path, app.settings.media);
        return answered(removed, ({ deletedFiles, deletedFolders }) =>
          ok({ deleted_files: deletedFiles, deleted_folders: deletedFolders }),
        );
      },
    }),
  ];
}

/** The full path: as it is sent when it begins with the parent's, else the parent's with the key as a last segment. */
function pathOf({ key, parent_cdn_folder_path: sent }: CdnFolderFields): FolderPath | Refusal {
  const parent = folderPath(sent ?? '', 'parent_cdn_folder_path');
  const path = folderPath(key, 'key');
  if (isRefusal(parent) || isRefusal(path)) return isRefusal(parent) ? parent : path;
  if (parent === TOP_LEVEL || parentOf(path) === parent) return path;
  return path.includes('/') ? refuse('is invalid', 'key') : folderPath(below(parent, path), 'key');
}

interface FolderNode {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly parent_cdn_folder_path: string | null;
  readonly description: string | null;
  readonly file_count: number;
  readonly total_file_count: number;
  readonly folders: readonly FolderNode[];
}

/** The nodes right below a path, by name, each with all below it. */
function treeBelow(rows: readonly FolderRow[], path: FolderPath): FolderNode[] {
  const children = new Map<string, FolderRow[]>();
  for (const row of rows) children.set(parentOf(row.path), [...(children.get(parentOf(row.path)) ?? []), row]);
  const nodes = (parent: FolderPath): FolderNode[] =>
    (children.get(parent) ?? []).map((row) => nodeOf(row, nodes(row.path))).sort(byName);
  return nodes(path);
}

function nodeOf(row: FolderRow, folders: readonly FolderNode[]): FolderNode {
  const parent = parentOf(row.path);
  return {
    id: row.id,
    name: row.name,
    key: row.path,
    parent_cdn_folder_path: parent === TOP_LEVEL ? null : parent,
    description: row.description,
    file_count: row.files,
    total_file_count: folders.reduce((total, each) => total + each.total_file_count, row.files),
    folders,
  };
}

function byName(a: FolderNode, b: FolderNode): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id;
}

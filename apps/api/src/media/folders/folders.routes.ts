import { IS_INVALID, isRefusal, type Refusal, refuse } from '@back-office/kernel';
import {
  joinFolder,
  type Folder,
  parseFolderPath,
  type FolderPath,
  type MediaFolderQueries,
  type MediaFolders,
  NAME_WITHOUT_BIDI_CONTROLS,
  parentOf,
  TOP_LEVEL,
} from '@back-office/media';
import { answerWith, created, ok } from '../../http/answer.js';
import {
  IsOptional,
  IsRecordId,
  Length,
  Matches,
  MaxLength,
  Type,
  ValidateNested,
  Wrapper,
} from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { listOf, record, text } from '../../http/shapes.js';
import { MAX_PATH_LENGTH, MAX_TEXT_LENGTH } from '../files/media-fields.js';
import { DeletedFolderShape, FolderShape } from './folder-shapes.js';

class CdnFolderFields {
  @Length(1, 255) @Matches(NAME_WITHOUT_BIDI_CONTROLS) name!: string;
  @Length(1, MAX_PATH_LENGTH) key!: string;
  @IsOptional() @MaxLength(MAX_PATH_LENGTH) parent_cdn_folder_path?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) description?: string | null;
}

class PostCdnFolder {
  @Wrapper() @ValidateNested() @Type(() => CdnFolderFields) cdn_folder!: CdnFolderFields;
}

class PatchCdnFolder {
  @IsRecordId() id!: number;
  @IsOptional() @MaxLength(255) @Matches(NAME_WITHOUT_BIDI_CONTROLS) name?: string | null;
  @IsOptional() @MaxLength(MAX_PATH_LENGTH) parent_folder?: string | null;
  @IsOptional() @MaxLength(MAX_TEXT_LENGTH) description?: string | null;
}

const REFUSALS = [
  'API.CdnFolders.FolderNotFound',
  'API.CdnFolders.KeyAlreadyExists',
  'API.CdnFolders.ParentNotFound',
  'API.CdnFolders.InvalidParent',
];

export function folderRoutes(folders: MediaFolders, queries: MediaFolderQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/folders',
      caller: 'app',
      scope: 'media:read',
      summary: 'Reads the tree of folders, or one branch',
      query: { folder: { schema: text, description: 'folder key: the branch below it' } },
      answers: { 200: record({ data: listOf(FolderShape) }) },
      refusals: ['API.CdnFolders.FolderNotFound', IS_INVALID],
      handle: async ({ app, query }) => {
        const path = typeof query['folder'] === 'string' ? parseFolderPath(query['folder'], 'folder') : TOP_LEVEL;
        if (isRefusal(path)) return path;
        const branch = await queries.branch(app.id, path);
        if (path !== TOP_LEVEL && branch.length === 0) return refuse('API.CdnFolders.FolderNotFound');
        return ok(buildTree(branch, path));
      },
    }),
    route({
      method: 'post',
      path: '/cdn_folders',
      caller: 'app',
      scope: 'media:write',
      summary: 'Adds a folder; its key is the last segment or the full path',
      body: PostCdnFolder,
      answers: { 201: record({ data: FolderShape }) },
      refusals: REFUSALS.slice(1),
      handle: async ({ app, body: { cdn_folder: fields } }) => {
        const path = parsePath(fields);
        if (isRefusal(path)) return path;
        const { name, description = null } = fields;
        return answerWith(await folders.add(app.id, { name, path, description }), (folder) =>
          created(nodeOf(folder, [])),
        );
      },
    }),
    route({
      method: 'patch',
      path: '/cdn/folder',
      caller: 'app',
      scope: 'media:write',
      summary: 'Renames, describes or moves a folder with its contents',
      body: PatchCdnFolder,
      answers: { 200: record({ data: FolderShape }) },
      refusals: REFUSALS,
      handle: async ({ app, body }) => {
        const parent =
          typeof body.parent_folder === 'string' ? parseFolderPath(body.parent_folder, 'parent_folder') : undefined;
        if (isRefusal(parent)) return parent;
        const edit = { name: body.name ?? undefined, description: body.description, parent };
        const editedBranch = await folders.edit(app.id, body.id, edit);
        if (isRefusal(editedBranch)) return editedBranch;
        const { path, branch } = editedBranch;
        const folder = branch.find(({ path: folderPath }) => folderPath === path);
        if (folder === undefined) return refuse('API.CdnFolders.FolderNotFound');
        return ok(nodeOf(folder, buildTree(branch, path)));
      },
    }),
    route({
      method: 'delete',
      path: '/cdn/folder',
      caller: 'app',
      scope: 'media:write',
      summary: 'Puts all files of a branch into Trash and removes its folders',
      query: { folder: { schema: text, description: 'folder key' } },
      answers: { 200: DeletedFolderShape },
      refusals: ['API.CdnFolders.FolderRequired', 'API.CdnFolders.FolderNotFound', 'API.CdnFiles.FileReferenced'],
      handle: async ({ app, query }) => {
        const folderKey = query['folder'];
        if (typeof folderKey !== 'string' || folderKey.trim() === '') return refuse('API.CdnFolders.FolderRequired');
        const path = parseFolderPath(folderKey, 'folder');
        if (isRefusal(path)) return path;
        if (path === TOP_LEVEL) return refuse('API.CdnFolders.FolderRequired');
        const removal = await folders.remove(app.id, path, app.settings.media);
        return answerWith(removal, ({ deletedFiles, deletedFolders }) =>
          ok({ deleted_files: deletedFiles, deleted_folders: deletedFolders }),
        );
      },
    }),
  ];
}

/** A key contains either the full path or only the last segment, which is then appended to the parent path. */
function parsePath({ key, parent_cdn_folder_path: parentPath }: CdnFolderFields): FolderPath | Refusal {
  const parent = parseFolderPath(parentPath ?? '', 'parent_cdn_folder_path');
  const path = parseFolderPath(key, 'key');
  if (isRefusal(parent) || isRefusal(path)) return isRefusal(parent) ? parent : path;
  if (parent === TOP_LEVEL || parentOf(path) === parent) return path;
  return path.includes('/') ? refuse('is invalid', 'key') : parseFolderPath(joinFolder(parent, path), 'key');
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

function buildTree(folders: readonly Folder[], path: FolderPath): FolderNode[] {
  const children = new Map<string, Folder[]>();
  for (const folder of folders)
    children.set(parentOf(folder.path), [...(children.get(parentOf(folder.path)) ?? []), folder]);
  const nodesBelow = (parent: FolderPath): FolderNode[] =>
    (children.get(parent) ?? []).map((folder) => nodeOf(folder, nodesBelow(folder.path)));
  return nodesBelow(path);
}

function nodeOf(folder: Folder, children: readonly FolderNode[]): FolderNode {
  const parent = parentOf(folder.path);
  return {
    id: folder.id,
    name: folder.name,
    key: folder.path,
    parent_cdn_folder_path: parent === TOP_LEVEL ? null : parent,
    description: folder.description,
    file_count: folder.files,
    total_file_count: children.reduce((total, child) => total + child.total_file_count, folder.files),
    folders: children,
  };
}

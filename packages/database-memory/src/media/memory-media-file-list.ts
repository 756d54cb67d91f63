import { foldForSearch, nameSortKey } from '@back-office/database';
import type { ListedPage, Page, Sorting } from '@back-office/kernel';
import {
  FILE_KINDS,
  publicUrl,
  type FILE_SORT_FIELDS,
  type FileFilter,
  type MediaFileQueries,
  type PublicLibrary,
  type TRASH_SORT_FIELDS,
  MAX_LISTED_PDFS,
} from '@back-office/media';
import { sortBy } from '../lists.js';
import { listPage, nameKey, type SortKey } from '../sorting.js';
import type { State } from '../state.js';
import { pagesOf } from './derived-files.js';
import { activeFiles, fileJson, fileOf, filesOf, isUsed, presentFile } from './files.js';
import type { FileRecord } from './records.js';

type Key = Pick<SortKey<FileRecord>, 'value' | 'mark'>;

const FILE_KEYS: Readonly<Record<(typeof FILE_SORT_FIELDS)[number], Key>> = {
  name: nameKey(({ filename }) => [filename]),
  size: { value: ({ size }) => size },
  inserted_at: { value: (file) => file.inserted_at.getTime() },
  last_modified: { value: (file) => file.last_modified.getTime() },
};
const TRASH_KEYS: Readonly<Record<(typeof TRASH_SORT_FIELDS)[number], Key>> = {
  ...FILE_KEYS,
  deleted_at: { value: (file) => file.deleted_at?.getTime() ?? null },
  purge_at: { value: (file) => file.purge_at?.getTime() ?? null },
};

export class MemoryMediaFileList implements MediaFileQueries {
  constructor(
    private readonly state: State,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  async find(appId: number, id: number): Promise<string | undefined> {
    return fileJson(this.state, appId, id, this.library.base);
  }

  async findId(appId: number, key: string): Promise<number | undefined> {
    return filesOf(this.state, appId).find((file) => file.key === key)?.id;
  }

  async findAll(appId: number, ids: readonly number[]): Promise<ReadonlyMap<number, object>> {
    const files = ids.flatMap((id) => fileOf(this.state, appId, id) ?? []);
    return new Map(files.map((file) => [file.id, presentFile(this.state, appId, file, this.library.base)]));
  }

  async list(appId: number, filter: FileFilter, sorting: Sorting | undefined, page: Page): Promise<ListedPage> {
    const matchingFiles = activeFiles(this.state, appId).filter((file) => this.matches(appId, file, filter));
    const shownFiles = matchingFiles.filter(
      ({ hidden }) => filter.hidden === 'included' || hidden === (filter.hidden === 'only'),
    );
    const { rows, end } = listPage(
      shownFiles,
      sortKeys(sorting ?? { field: 'name', direction: 'asc' }, FILE_KEYS),
      page,
    );
    const data = {
      files: this.presentFiles(appId, rows),
      total_count: shownFiles.length,
      hidden_count: matchingFiles.filter(({ hidden }) => hidden).length,
    };
    return { json: JSON.stringify(data), end };
  }

  async trash(
    appId: number,
    search: string | undefined,
    sorting: Sorting | undefined,
    page: Page,
  ): Promise<ListedPage> {
    const matchingFiles = this.findTrashed(appId).filter((file) => search === undefined || matchesSearch(file, search));
    const keys = sortKeys(sorting ?? { field: 'deleted_at', direction: 'desc' }, TRASH_KEYS);
    const { rows, end } = listPage(matchingFiles, keys, page);
    const data = { files: this.presentFiles(appId, rows, true), total_count: matchingFiles.length };
    return { json: JSON.stringify(data), end };
  }

  async summary(appId: number): Promise<string> {
    const [currentFiles, trashedFiles] = [activeFiles(this.state, appId), this.findTrashed(appId)];
    const countOf = (kind: string) => currentFiles.filter((file) => file.kind === kind).length;
    return JSON.stringify({
      counts: Object.fromEntries(FILE_KINDS.map((kind) => [kind, countOf(kind)])),
      total_count: currentFiles.length,
      total_size: sizeOf(currentFiles),
      renditions_size: sizeOf(this.state.renditions.all(appId)),
      trash_count: trashedFiles.length,
      trash_size: sizeOf(trashedFiles),
    });
  }

  async pdfRenders(appId: number, name: string | undefined): Promise<string> {
    const query = foldForSearch(name ?? '');
    const matchingPdfs = activeFiles(this.state, appId)
      .filter((file) => file.search_text.includes(query))
      .map((file) => ({ file, pages: this.presentPages(appId, file) }))
      .filter(({ pages }) => pages.length > 0);
    const sortedPdfs = sortBy(matchingPdfs, [({ file }) => nameSortKey(file.filename), ({ file }) => file.id]).slice(
      0,
      MAX_LISTED_PDFS,
    );
    return JSON.stringify(
      sortedPdfs.map(({ file: { id, filename, key, version }, pages }) => ({
        file: { id, filename, url: publicUrl(this.library.base, key, version) },
        pages,
      })),
    );
  }

  private findTrashed(appId: number): FileRecord[] {
    return filesOf(this.state, appId).filter(({ state }) => state === 'trashed');
  }

  private presentFiles(appId: number, files: readonly FileRecord[], isInTrash = false): object[] {
    return files.map((file) => presentFile(this.state, appId, file, this.library.base, { isInTrash }));
  }

  private presentPages(appId: number, { id, version }: FileRecord): object[] {
    const listedPages = pagesOf(this.state, appId, id).filter((page) => page.version === version && page.listed);
    return sortBy(listedPages, [({ page }) => page]).map(({ page, key, width, height }) => ({
      page,
      url: publicUrl(this.library.base, key, version),
      width,
      height,
    }));
  }

  private matches(appId: number, file: FileRecord, filter: FileFilter): boolean {
    const { folder, search, kind, unusedBefore, noAlt, minSize, since } = filter;
    return (
      (folder === undefined || file.folder === folder) &&
      (search === undefined || matchesSearch(file, search)) &&
      (kind === undefined || file.kind === kind) &&
      (unusedBefore === undefined || (file.last_modified <= unusedBefore && !isUsed(this.state, appId, file.key))) &&
      (!noAlt || (file.kind === 'image' && !file.alt)) &&
      (minSize === undefined || file.size >= minSize) &&
      (since === undefined || file.last_modified >= since)
    );
  }
}

function sortKeys({ field, direction }: Sorting, keys: Readonly<Record<string, Key>>): readonly SortKey<FileRecord>[] {
  const key = Object.hasOwn(keys, field) ? keys[field] : undefined;
  if (key === undefined) throw new Error(`Files cannot be sorted by ${field}`);
  return [
    { ...key, direction },
    { value: ({ id }) => id, direction },
  ];
}

function matchesSearch({ search_text: text }: FileRecord, search: string): boolean {
  const query = foldForSearch(search);
  return query !== '' && text.includes(query);
}

function sizeOf(objects: readonly { readonly size: number }[]): number {
  return objects.reduce((sum, { size }) => sum + size, 0);
}

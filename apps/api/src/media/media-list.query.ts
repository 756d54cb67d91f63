import {
  addHours,
  isRefusal,
  isSound,
  likeLiteral,
  sortingOf,
  truth,
  wholeNumber,
  type Page,
} from '@back-office/kernel';
import { FILE_KINDS, folderPath, type FolderPath } from '@back-office/media';
import { among, listed } from '../database/among.js';
import type { Database } from '../database/database.js';
import { placeholders, type Placeholder } from '../database/placeholders.js';
import { foldedForSearch } from '../database/search-text.js';
import { fileJsonSql, fileUrlSql } from './file-columns.query.js';

type Query = Readonly<Record<string, unknown>>;
const HOURS_A_DAY = 24;
const MOST_DAYS = 36_500;

/** What a list of files is narrowed to; what was not asked for, or cannot be used, is absent. */
export interface FileFilter {
  readonly folder: FolderPath | undefined;
  readonly search: string | undefined;
  readonly kind: string | undefined;
  readonly unusedBefore: Date | undefined;
  readonly noAlt: boolean;
  readonly minSize: number | undefined;
  readonly since: Date | undefined;
  readonly hidden: 'left out' | 'included' | 'only';
}

export function fileFilter(query: Query, unusedThresholdDays: number, now: Date): FileFilter {
  const folder = typeof query['folder'] === 'string' ? folderPath(query['folder'], 'folder') : undefined;
  const days = wholeNumber(query['since_days']);
  const minSize = wholeNumber(query['min_size']);
  return {
    folder: isRefusal(folder) ? undefined : folder,
    search: searchOf(query),
    kind: FILE_KINDS.find((kind) => kind === query['kind']),
    unusedBefore: truth(query['unused']) ? addHours(now, -unusedThresholdDays * HOURS_A_DAY) : undefined,
    noAlt: truth(query['noalt']) === true,
    minSize: minSize !== undefined && minSize >= 0 ? minSize : undefined,
    since: days !== undefined && days >= 0 ? addHours(now, -Math.min(days, MOST_DAYS) * HOURS_A_DAY) : undefined,
    hidden: truth(query['hidden_only']) ? 'only' : truth(query['hidden']) ? 'included' : 'left out',
  };
}

/** Folded as the texts of files are; one that folds to nothing finds nothing. */
export function searchOf(query: Query): string | undefined {
  return soughtIn(query['search']);
}

/** The folded text of a filter; one that is none is ignored. */
export function soughtIn(sent: unknown): string | undefined {
  const sought = typeof sent === 'string' && isSound(sent) ? sent.trim() : '';
  return sought === '' ? undefined : foldedForSearch(sought);
}

/** `pageNo` from 1 on, and `pageSize`; in Trash they are called `page_no` and `page_size`. */
export function pageNumbered(query: Query, number: string, size: string, usual: number, most: number): Page {
  const limit = wholeNumber(query[size]);
  const usable = limit !== undefined && limit >= 1 ? Math.min(limit, most) : usual;
  const page = wholeNumber(query[number]);
  return { limit: usable, offset: ((page !== undefined && page >= 1 ? Math.min(page, 2 ** 31) : 1) - 1) * usable };
}

const FILE_COLUMNS: Readonly<Record<string, string>> = {
  name: 'filename',
  size: 'size',
  inserted_at: 'inserted_at',
  last_modified: 'last_modified',
};
const TRASH_COLUMNS: Readonly<Record<string, string>> = {
  ...FILE_COLUMNS,
  deleted_at: 'deleted_at',
  purge_at: 'purge_at',
};

function orderSql(orderBy: unknown, columns: Readonly<Record<string, string>>, usual: string): string {
  const sorting = sortingOf(orderBy, Object.keys(columns));
  if (sorting === undefined) return usual;
  return `f.${columns[sorting.field]} ${sorting.direction}, f.id ${sorting.direction}`;
}

/** One page, the ids first, and how many there are in all. */
export async function fileListJson(
  database: Database,
  appId: number,
  base: string,
  filter: FileFilter,
  orderBy: unknown,
  page: Page,
): Promise<string> {
  const { text, values } = fileListStatement(appId, base, filter, orderBy, page);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '';
}

export function fileListStatement(
  appId: number,
  base: string,
  filter: FileFilter,
  orderBy: unknown,
  { offset, limit }: Page,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [appId, base, offset, limit];
  const conditions = conditionsOf(filter, placeholders(values));
  const matching = ['f.app_id = $1', "f.state = 'active'", ...conditions].join(' and ');
  const shown = { 'left out': 'not f.hidden', included: 'true', only: 'f.hidden' }[filter.hidden];
  const order = orderSql(orderBy, FILE_COLUMNS, 'f.filename, f.id');
  const text = `
    with page as (select f.id from cdn_files f where ${matching} and ${shown} order by ${order} offset $3 limit $4)
    select json_build_object(
      'files', (
        select coalesce(json_agg(${fileJsonSql('$2')} order by ${order}), '[]')
        from cdn_files f where f.app_id = $1 and ${among('f.id', 'page')}
      ),
      'total_count', counted.shown,
      'hidden_count', counted.hidden
    )::text as data
    from (
      select count(*) filter (where ${shown}) as shown, count(*) filter (where f.hidden) as hidden
      from cdn_files f where ${matching}
    ) as counted`;
  return { text, values };
}

const UNUSED = `not ${listed('f.key', 'select key from cdn_usages where app_id = $1')}`;

function conditionsOf(filter: FileFilter, add: Placeholder): string[] {
  const { folder, search, kind, unusedBefore, noAlt, minSize, since } = filter;
  return [
    ...(folder === undefined ? [] : [`f.folder = ${add(folder)}`]),
    ...(search === undefined ? [] : [contains(search, add)]),
    ...(kind === undefined ? [] : [`f.kind = ${add(kind)}`]),
    ...(unusedBefore === undefined ? [] : [`f.last_modified <= ${add(unusedBefore)}`, UNUSED]),
    ...(noAlt ? ["f.kind = 'image'", "coalesce(f.alt, '') = ''"] : []),
    ...(minSize === undefined ? [] : [`f.size >= ${add(minSize)}`]),
    ...(since === undefined ? [] : [`f.last_modified >= ${add(since)}`]),
  ];
}

function contains(search: string, add: Placeholder): string {
  return search === '' ? 'false' : `f.search_text like ${add(`%${likeLiteral(search)}%`)}`;
}

export async function trashListJson(
  database: Database,
  appId: number,
  base: string,
  search: string | undefined,
  orderBy: unknown,
  { offset, limit }: Page,
): Promise<string> {
  const values: unknown[] = [appId, base, offset, limit];
  const found = search === undefined ? [] : [contains(search, placeholders(values))];
  const matching = ['f.app_id = $1', "f.state = 'trashed'", ...found].join(' and ');
  const order = orderSql(orderBy, TRASH_COLUMNS, 'f.deleted_at desc, f.id desc');
  const [row] = await database.rows<{ data: string }>(
    `with page as (select f.id from cdn_files f where ${matching} order by ${order} offset $3 limit $4)
    select json_build_object(
      'files', (
        select coalesce(json_agg(${fileJsonSql('$2', { inTrash: true })} order by ${order}), '[]')
        from cdn_files f where f.app_id = $1 and ${among('f.id', 'page')}
      ),
      'total_count', (select count(*) from cdn_files f where ${matching})
    )::text as data`,
    values,
  );
  return row?.data ?? '';
}

const SUMMARY = `
  with files as (
    select f.kind, f.state = 'trashed' as trashed, count(*) as files, sum(f.size) as size
    from cdn_files f where f.app_id = $1 and f.state <> 'receiving' group by 1, 2
  )
  select json_build_object(
    'counts', json_build_object(${FILE_KINDS.map((kind) => `'${kind}', coalesce((select files from files where kind = '${kind}' and not trashed), 0)`).join(', ')}),
    'total_count', coalesce((select sum(files) from files where not trashed), 0),
    'total_size', coalesce((select sum(size) from files where not trashed), 0),
    'renditions_size', coalesce((select sum(size) from cdn_renditions where app_id = $1), 0),
    'trash_count', coalesce((select sum(files) from files where trashed), 0),
    'trash_size', coalesce((select sum(size) from files where trashed), 0)
  )::text as data`;

/** Counts and bytes; files in Trash are counted by themselves. */
export async function summaryJson(database: Database, appId: number): Promise<string> {
  const [row] = await database.rows<{ data: string }>(SUMMARY, [appId]);
  return row?.data ?? '';
}

const PAGES = `
  from cdn_pdf_pages p where p.app_id = f.app_id and p.cdn_file_id = f.id and p.version = f.version and p.listed`;

const PDF_RENDERS = `
  select coalesce(json_agg(row.data order by row.filename, row.id), '[]')::text as data from (
    select f.filename, f.id, json_build_object(
      'file', json_build_object('id', f.id, 'filename', f.filename, 'url', ${fileUrlSql('$2')}),
      'pages', (
        select json_agg(json_build_object(
          'page', p.page, 'url', ${fileUrlSql('$2', 'p.key')}, 'width', p.width, 'height', p.height
        ) order by p.page)
        ${PAGES}
      )
    ) as data
    from cdn_files f
    where f.app_id = $1 and f.state = 'active' and ($3::text is null or f.search_text like $3) and exists (select ${PAGES})
    order by f.filename, f.id limit $4
  ) as row`;

const MOST_PDFS = 100;

/** PDFs whose pages are there as images, by name. */
export async function pdfRendersJson(
  database: Database,
  appId: number,
  base: string,
  name: string | undefined,
): Promise<string> {
  const pattern = name === undefined ? null : `%${likeLiteral(name)}%`;
  const [row] = await database.rows<{ data: string }>(PDF_RENDERS, [appId, base, pattern, MOST_PDFS]);
  return row?.data ?? '';
}

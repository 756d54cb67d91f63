import { escapeLike, type ListedPage, type Page, type Sorting } from '@back-office/kernel';
import {
  FILE_KINDS,
  type FILE_SORT_FIELDS,
  type FileFilter,
  type MediaFileQueries,
  type PublicLibrary,
  type TRASH_SORT_FIELDS,
  MAX_LISTED_PDFS,
} from '@back-office/media';
import { among, listed } from '../../lists/list-conditions.js';
import { listedPage } from '../../lists/listed-page.js';
import type { Statement } from '../../connection/sql.js';
import { pageBounds } from '../../lists/page-bounds.js';
import { type Placeholder, placeholders } from '../../lists/placeholders.js';
import type { Postgres } from '../../connection/postgres.js';
import { afterSql, nameKey, orderSql, pageCte, positionSql, type SortKey } from '../../lists/sort-keys.js';
import { foldForSearch } from '@back-office/database';
import { FIND_FILES, fileJsonSql, fileUrlSql, findFileJson } from './file-columns.js';
import { outerApp } from '../../connection/outer-app.js';

type Column = Pick<SortKey, 'sql' | 'type' | 'mark'>;
type ColumnByField<Fields extends readonly string[]> = Readonly<Record<Fields[number], Column>>;

const BY_NAME = nameKey('f.filename');

const FILE_COLUMNS: ColumnByField<typeof FILE_SORT_FIELDS> = {
  name: BY_NAME,
  size: { sql: 'f.size', type: 'bigint' },
  inserted_at: { sql: 'f.inserted_at', type: 'timestamptz' },
  last_modified: { sql: 'f.last_modified', type: 'timestamptz' },
};
const TRASH_COLUMNS: ColumnByField<typeof TRASH_SORT_FIELDS> = {
  ...FILE_COLUMNS,
  deleted_at: { sql: 'f.deleted_at', type: 'timestamptz' },
  purge_at: { sql: 'f.purge_at', type: 'timestamptz' },
};

function sortKeys({ field, direction }: Sorting, columns: Readonly<Record<string, Column>>): readonly SortKey[] {
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
  if (column === undefined) throw new Error(`Files cannot be sorted by ${field}`);
  return [
    { ...column, direction },
    { sql: 'f.id', type: 'bigint', direction },
  ];
}

/** Selects the files that meet `conditions` and follow the position of `page`. */
function pageOf(conditions: string, keys: readonly SortKey[], page: Page, value: Placeholder) {
  const { after } = page;
  const { clause, limit } = pageBounds(page, value);
  const isAfter = after === undefined ? '' : ` and ${afterSql(keys, after, value)}`;
  const order = orderSql(keys);
  return {
    order,
    cte: pageCte(`select f.id from cdn_files f where ${conditions}${isAfter} order by ${order} ${clause}`),
    end: `(
      select ${positionSql(keys)} from cdn_files f
      where f.app_id = $1 and f.id = (select id from page where ordinal = ${limit})
    ) as "end"`,
  };
}

export function fileListStatement(
  appId: number,
  base: string,
  filter: FileFilter,
  sorting: Sorting | undefined,
  page: Page,
): Statement {
  const values: unknown[] = [appId, base];
  const value = placeholders(values);
  const conditions = conditionsOf(filter, value);
  const matchesFilter = ['f.app_id = $1', "f.state = 'active'", ...conditions].join(' and ');
  const isListed = { 'left out': 'not f.hidden', included: 'true', only: 'f.hidden' }[filter.hidden];
  const keys = sortKeys(sorting ?? { field: 'name', direction: 'asc' }, FILE_COLUMNS);
  const { cte, order, end } = pageOf(`${matchesFilter} and ${isListed}`, keys, page, value);
  const text = `
    with ${cte}
    select json_build_object(
      'files', (
        select coalesce(json_agg(${fileJsonSql('$2')} order by ${order}), '[]')
        from cdn_files f where f.app_id = $1 and ${among('f.id', 'page')}
      ),
      'total_count', counted.shown,
      'hidden_count', counted.hidden
    )::text as data, ${end}
    from (
      select count(*) filter (where ${isListed}) as shown, count(*) filter (where f.hidden) as hidden
      from cdn_files f where ${matchesFilter}
    ) as counted`;
  return { text, values };
}

const IS_UNUSED = `not ${listed('f.key', 'select key from cdn_usages where app_id = $1')}`;

function conditionsOf(filter: FileFilter, value: Placeholder): string[] {
  const { folder, search, kind, unusedBefore, noAlt, minSize, since } = filter;
  return [
    ...(folder === undefined ? [] : [`f.folder = ${value(folder)}`]),
    ...(search === undefined ? [] : [containsSql(search, value)]),
    ...(kind === undefined ? [] : [`f.kind = ${value(kind)}`]),
    ...(unusedBefore === undefined ? [] : [`f.last_modified <= ${value(unusedBefore)}`, IS_UNUSED]),
    ...(noAlt ? ["f.kind = 'image'", "coalesce(f.alt, '') = ''"] : []),
    ...(minSize === undefined ? [] : [`f.size >= ${value(minSize)}`]),
    ...(since === undefined ? [] : [`f.last_modified >= ${value(since)}`]),
  ];
}

function containsSql(search: string, value: Placeholder): string {
  const folded = foldForSearch(search);
  return folded === '' ? 'false' : `f.search_text like ${value(`%${escapeLike(folded)}%`)}`;
}

const SELECT_SUMMARY = `
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

const FROM_LISTED_PAGES = `
  from cdn_pdf_pages p where p.app_id = ${outerApp('f')} and p.cdn_file_id = f.id and p.version = f.version and p.listed`;

const SELECT_PDF_RENDERS = `
  select coalesce(json_agg(row.data order by row.sort_key, row.id), '[]')::text as data from (
    select ${BY_NAME.sql} as sort_key, f.id, json_build_object(
      'file', json_build_object('id', f.id, 'filename', f.filename, 'url', ${fileUrlSql('$2')}),
      'pages', (
        select json_agg(json_build_object(
          'page', p.page, 'url', ${fileUrlSql('$2', 'p.key')}, 'width', p.width, 'height', p.height
        ) order by p.page)
        ${FROM_LISTED_PAGES}
      )
    ) as data
    from cdn_files f
    where f.app_id = $1 and f.state = 'active' and ($3::text is null or f.search_text like $3) and exists (select ${FROM_LISTED_PAGES})
    order by ${BY_NAME.sql}, f.id limit $4
  ) as row`;

const FIND_ID = `select id from cdn_files where app_id = $1 and key = $2 and state <> 'receiving'`;

export class SqlMediaFileQueries implements MediaFileQueries {
  constructor(
    private readonly postgres: Postgres,
    private readonly library: Pick<PublicLibrary, 'base'>,
  ) {}

  find(appId: number, id: number): Promise<string | undefined> {
    return findFileJson(this.postgres, appId, id, this.library.base);
  }

  async findId(appId: number, key: string): Promise<number | undefined> {
    const [row] = await this.postgres.rows<{ id: number }>(FIND_ID, [appId, key]);
    return row?.id;
  }

  async findAll(appId: number, ids: readonly number[]): Promise<ReadonlyMap<number, object>> {
    const rows = await this.postgres.rows<{ id: number; data: object }>(FIND_FILES, [appId, ids, this.library.base]);
    return new Map(rows.map(({ id, data }) => [id, data]));
  }

  async list(appId: number, filter: FileFilter, sorting: Sorting | undefined, page: Page): Promise<ListedPage> {
    return listedPage(this.postgres, fileListStatement(appId, this.library.base, filter, sorting, page));
  }

  async trash(
    appId: number,
    search: string | undefined,
    sorting: Sorting | undefined,
    page: Page,
  ): Promise<ListedPage> {
    const values: unknown[] = [appId, this.library.base];
    const value = placeholders(values);
    const searchConditions = search === undefined ? [] : [containsSql(search, value)];
    const matchesSearch = ['f.app_id = $1', "f.state = 'trashed'", ...searchConditions].join(' and ');
    const keys = sortKeys(sorting ?? { field: 'deleted_at', direction: 'desc' }, TRASH_COLUMNS);
    const { cte, order, end } = pageOf(matchesSearch, keys, page, value);
    const text = `
    with ${cte}
    select json_build_object(
      'files', (
        select coalesce(json_agg(${fileJsonSql('$2', { inTrash: true })} order by ${order}), '[]')
        from cdn_files f where f.app_id = $1 and ${among('f.id', 'page')}
      ),
      'total_count', (select count(*) from cdn_files f where ${matchesSearch})
    )::text as data, ${end}`;
    return listedPage(this.postgres, { text, values });
  }

  async summary(appId: number): Promise<string> {
    const [row] = await this.postgres.rows<{ data: string }>(SELECT_SUMMARY, [appId]);
    return row?.data ?? '';
  }

  async pdfRenders(appId: number, name: string | undefined): Promise<string> {
    const pattern = name === undefined ? null : `%${escapeLike(foldForSearch(name))}%`;
    const values = [appId, this.library.base, pattern, MAX_LISTED_PDFS];
    const [row] = await this.postgres.rows<{ data: string }>(SELECT_PDF_RENDERS, values);
    return row?.data ?? '';
  }
}

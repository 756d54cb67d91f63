import { LISTS } from './calls.js';

type Query = Readonly<Record<string, unknown>>;

interface List {
  readonly page: string;
  readonly size: string;
  readonly rows?: string;
}

export interface FetchedPage {
  readonly data: unknown;
  readonly nextCursor: string | null;
}

const DEFAULT_PAGE_ROWS = 100;

/** Yields the rows of all pages. Follows the cursor if the service returns one; otherwise increases the page number. */
export async function* listRows(
  path: keyof typeof LISTS,
  query: Query,
  fetchPage: (query: Query) => Promise<FetchedPage>,
): AsyncGenerator<unknown, void, undefined> {
  const { page, size, rows }: List = LISTS[path];
  const pageRows = Number(query[size] ?? DEFAULT_PAGE_ROWS);
  const countsRows = page === 'offset';
  let position = Number(query[page] ?? (countsRows ? 0 : 1));
  let cursor: unknown = query['cursor'];
  for (;;) {
    const pageQuery = { ...query, [size]: pageRows, ...(cursor === undefined ? { [page]: position } : { cursor }) };
    const { data, nextCursor } = await fetchPage(pageQuery);
    const found = rowsIn(data, rows);
    yield* found;
    if (nextCursor === null && (cursor !== undefined || found.length < pageRows)) return;
    cursor = nextCursor ?? undefined;
    position += countsRows ? found.length : 1;
  }
}

/** Some lists return a single record or an empty object if the query identifies one record. */
function rowsIn(data: unknown, name: string | undefined): readonly unknown[] {
  const rows = name === undefined || Array.isArray(data) ? data : (data as Query)[name];
  if (Array.isArray(rows)) return rows;
  return Object.keys(data as object).length === 0 ? [] : [data];
}

import type { ListedPage, Page } from '../list-query.js';

/** Lists all pages, each from the end position of the previous one, and returns the rows of all pages. */
export async function followPositions(
  limit: number,
  list: (page: Page) => Promise<ListedPage>,
  rowsOf: (json: unknown) => readonly object[] = (json) => json as readonly object[],
): Promise<object[]> {
  const rows: object[] = [];
  let page: Page = { offset: 0, limit };
  for (;;) {
    const { json, end } = await list(page);
    const pageRows = rowsOf(JSON.parse(json));
    rows.push(...pageRows);
    if (end === null) return rows;
    if (pageRows.length < limit) throw new Error('Only a full page has a position');
    page = { offset: 0, limit, after: end };
  }
}

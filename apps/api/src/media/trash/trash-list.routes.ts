import { MAX_PAGE_SIZE, parseSorting, type Page } from '@back-office/kernel';
import { type MediaFileQueries, TRASH_SORT_FIELDS } from '@back-office/media';
import { answerPage, CURSOR } from '../../http/cursor.js';
import { route, type Route } from '../../http/route.js';
import { integer, listOf, record } from '../../http/shapes.js';
import { PAGE_SIZE, POSITIVE, SEARCHED_TEXT, sortParameter } from '../../http/query-parameters.js';
import { parseNumberedPage, searchOf } from '../files/file-filter.js';
import { TrashEntryShape } from '../files/file-shapes.js';

const DEFAULT_PAGE_SIZE = 30;

const PAGE_PARAMETERS = {
  numberParameter: 'page_no',
  sizeParameter: 'page_size',
  defaultSize: DEFAULT_PAGE_SIZE,
  maxSize: MAX_PAGE_SIZE,
};

const TRASH_QUERY = {
  search: { ...SEARCHED_TEXT, description: 'in name, alt text, caption and tags' },
  order_by: sortParameter(
    TRASH_SORT_FIELDS,
    'like the list of files, also deleted_at and purge_at; default deleted_at desc',
  ),
  ...CURSOR,
  page_no: { ...POSITIVE, description: 'from 1 on, default 1' },
  page_size: { ...PAGE_SIZE, description: 'default 30, at most 10,000' },
};

export function trashListRoutes(queries: MediaFileQueries): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/trash',
      caller: 'app',
      scope: 'media:read',
      summary: 'Lists files in Trash, newest first',
      query: TRASH_QUERY,
      ignoresInvalidFilters: true,
      answers: { 200: record({ data: record({ files: listOf(TrashEntryShape), total_count: integer }) }) },
      handle: ({ app, query }) => {
        const page = parseNumberedPage(query, PAGE_PARAMETERS);
        const sorting = parseSorting(query['order_by'], TRASH_SORT_FIELDS);
        const list = (listedPage: Page) => queries.trash(app.id, searchOf(query), sorting, listedPage);
        return answerPage(query, page, list, 'order_by');
      },
    }),
  ];
}

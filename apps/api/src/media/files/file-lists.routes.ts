import { type Clock, MAX_PAGE_SIZE, parseSorting } from '@back-office/kernel';
import { FILE_KINDS, FILE_SORT_FIELDS, type MediaFileQueries } from '@back-office/media';
import { okJson } from '../../http/answer.js';
import { answerPage, CURSOR } from '../../http/cursor.js';
import { route, type Route } from '../../http/route.js';
import { integer, listOf, nullable, record, text, boolean } from '../../http/shapes.js';
import { FileShape } from './file-shapes.js';
import { OFFSET, PAGE_SIZE, POSITIVE, SEARCHED_TEXT, sortParameter } from '../../http/query-parameters.js';
import { isFileKind, isFolderKey, parseFileFilter, parseNumberedPage, parseSearch } from './file-filter.js';

const DEFAULT_PAGE_SIZE = 30;

const PAGE_PARAMETERS = {
  numberParameter: 'pageNo',
  sizeParameter: 'pageSize',
  defaultSize: DEFAULT_PAGE_SIZE,
  maxSize: MAX_PAGE_SIZE,
};

const FILES_QUERY = {
  folder: {
    schema: text,
    description: 'folder key: files directly in it; / is the top level',
    isUsable: isFolderKey,
  },
  search: { ...SEARCHED_TEXT, description: 'in name, alt text, caption and tags' },
  kind: { schema: text, description: FILE_KINDS.join(', '), isUsable: isFileKind },
  unused: { schema: boolean, description: "without usages, and older than the app's threshold" },
  noalt: { schema: boolean, description: 'images without alt text' },
  min_size: { ...OFFSET, description: 'bytes' },
  since_days: { ...OFFSET, description: 'content written in this many days' },
  hidden: { schema: boolean, description: 'true: includes hidden files, also in total_count' },
  hidden_only: { schema: boolean, description: 'true: only hidden files' },
  orderBy: sortParameter(FILE_SORT_FIELDS, `${FILE_SORT_FIELDS.join(', ')}, with asc or desc; default name asc`),
  ...CURSOR,
  pageNo: { ...POSITIVE, description: 'from 1 on, default 1' },
  pageSize: { ...PAGE_SIZE, description: 'default 30, at most 10,000' },
};

const SummaryShape = record({
  counts: record({ image: integer, vector: integer, video: integer, audio: integer, doc: integer }),
  total_count: integer,
  total_size: integer,
  renditions_size: integer,
  trash_count: integer,
  trash_size: integer,
});

const PdfRendersShape = record({
  file: record({ id: integer, filename: text, url: text }),
  pages: listOf(record({ page: integer, url: text, width: nullable(integer), height: nullable(integer) })),
});

/** These routes must precede `/cdn/files/:id`, which would match their paths too. */
export function fileListRoutes(queries: MediaFileQueries, clock: Clock): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/files',
      caller: 'app',
      scope: 'media:read',
      summary:
        'Lists files; hidden_count counts the hidden files that match the filters, and total_count only with hidden or hidden_only; ignores invalid filters',
      query: FILES_QUERY,
      ignoresInvalidFilters: true,
      answers: {
        200: record({ data: record({ files: listOf(FileShape), total_count: integer, hidden_count: integer }) }),
      },
      handle: ({ app, query }) => {
        const filter = parseFileFilter(query, app.settings.media.unusedThresholdDays, clock.now());
        const page = parseNumberedPage(query, PAGE_PARAMETERS);
        const sorting = parseSorting(query['orderBy'], FILE_SORT_FIELDS);
        return answerPage(query, page, (listedPage) => queries.list(app.id, filter, sorting, listedPage));
      },
    }),
    route({
      method: 'get',
      path: '/cdn/files/summary',
      caller: 'app',
      scope: 'media:read',
      summary: 'Counts files by kind, and their bytes',
      answers: { 200: record({ data: SummaryShape }) },
      handle: async ({ app }) => okJson(await queries.summary(app.id)),
    }),
    route({
      method: 'get',
      path: '/cdn/files/pdf-renders',
      caller: 'app',
      scope: 'media:read',
      summary: 'Lists PDFs with rendered pages by name; the first 100',
      query: { name: { ...SEARCHED_TEXT, description: 'part of the name' } },
      ignoresInvalidFilters: true,
      answers: { 200: record({ data: listOf(PdfRendersShape) }) },
      handle: async ({ app, query }) => {
        return okJson(await queries.pdfRenders(app.id, parseSearch(query['name'])));
      },
    }),
  ];
}

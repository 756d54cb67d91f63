import { LARGEST_PAGE, type Clock } from '@back-office/kernel';
import { FILE_KINDS } from '@back-office/media';
import type { Database } from '../database/database.js';
import { okText } from '../http/answer.js';
import { route, type Route } from '../http/route.js';
import { integer, listOf, nullable, record, text, truth } from '../http/shapes.js';
import { FileShape, TrashEntryShape } from './file-shapes.js';
import {
  fileFilter,
  fileListJson,
  pageNumbered,
  pdfRendersJson,
  searchOf,
  soughtIn,
  summaryJson,
  trashListJson,
} from './media-list.query.js';

const DEFAULT_PAGE = 30;

const FILES_QUERY = {
  folder: { schema: text, description: 'key of a folder: files directly in it; / is the top level' },
  search: { schema: text, description: 'in name, alt text, caption and tags' },
  kind: { schema: text, description: FILE_KINDS.join(', ') },
  unused: { schema: truth, description: "used nowhere, and older than the app's threshold" },
  noalt: { schema: truth, description: 'images without alt text' },
  min_size: { schema: integer, description: 'bytes' },
  since_days: { schema: integer, description: 'content written in the last so many days' },
  hidden: { schema: truth, description: 'true: hidden files, too' },
  hidden_only: { schema: truth, description: 'true: hidden files alone' },
  orderBy: {
    schema: text,
    description: 'name, size, inserted_at or last_modified, with asc or desc; default name asc',
  },
  pageNo: { schema: integer, description: 'from 1 on, default 1' },
  pageSize: { schema: integer, description: 'default 30, at most 10,000' },
};

const TRASH_QUERY = {
  search: { schema: text, description: 'in name, alt text, caption and tags' },
  order_by: { schema: text, description: 'as the list of files, or deleted_at or purge_at; default deleted_at desc' },
  page_no: { schema: integer, description: 'from 1 on, default 1' },
  page_size: { schema: integer, description: 'default 30, at most 10,000' },
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

/** Reading many files at once. These go before the calls that name one by its id. */
export function mediaListRoutes(database: Database, clock: Clock, base: string): Route[] {
  return [
    route({
      method: 'get',
      path: '/cdn/files',
      caller: 'app',
      summary: 'A page of files and how many there are; a filter that cannot be used is ignored',
      query: FILES_QUERY,
      ignoresUnusableFilters: true,
      answers: {
        200: record({ data: record({ files: listOf(FileShape), total_count: integer, hidden_count: integer }) }),
      },
      handle: async ({ app, query }) => {
        const filter = fileFilter(query, app.settings.media.unusedThresholdDays, clock.now());
        const page = pageNumbered(query, 'pageNo', 'pageSize', DEFAULT_PAGE, LARGEST_PAGE);
        return okText(await fileListJson(database, app.id, base, filter, query['orderBy'], page));
      },
    }),
    route({
      method: 'get',
      path: '/cdn/files/summary',
      caller: 'app',
      summary: 'How many files there are of each kind, and how much they take',
      answers: { 200: record({ data: SummaryShape }) },
      handle: async ({ app }) => okText(await summaryJson(database, app.id)),
    }),
    route({
      method: 'get',
      path: '/cdn/files/pdf-renders',
      caller: 'app',
      summary: 'PDFs whose pages are there as images, by name; the first 100',
      query: { name: { schema: text, description: 'part of the name' } },
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: listOf(PdfRendersShape) }) },
      handle: async ({ app, query }) => {
        return okText(await pdfRendersJson(database, app.id, base, soughtIn(query['name'])));
      },
    }),
    route({
      method: 'get',
      path: '/cdn/trash',
      caller: 'app',
      summary: 'Files in Trash, the latest first',
      query: TRASH_QUERY,
      ignoresUnusableFilters: true,
      answers: { 200: record({ data: record({ files: listOf(TrashEntryShape), total_count: integer }) }) },
      handle: async ({ app, query }) => {
        const page = pageNumbered(query, 'page_no', 'page_size', DEFAULT_PAGE, LARGEST_PAGE);
        return okText(await trashListJson(database, app.id, base, searchOf(query), query['order_by'], page));
      },
    }),
  ];
}

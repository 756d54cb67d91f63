import { isSound, pageOf } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { ok, okText } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { IS_INVALID, JudgedBy, judgeText, ListOf, Text, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { integer, listOf, named, nullable, record, text } from '../http/shapes.js';
import { OWN_ENTITY_TYPES, type TypeOrmMediaUsages } from './typeorm-media-usages.js';
import { brokenUsagesStatement, fileUsagesStatement, usageListJson } from './usage-list.query.js';

const optional = true;
const LONGEST_NAME = 255;
const LONGEST_URL = 2_048;
const MOST_FIELDS = 1_000;

/** Any but those that the service records itself. */
function EntityType(): PropertyDecorator {
  const judge = (value: unknown): string | undefined =>
    judgeText(value, LONGEST_NAME, false) ?? (OWN_ENTITY_TYPES.includes(String(value)) ? IS_INVALID : undefined);
  return JudgedBy(judge, { type: 'string', maxLength: LONGEST_NAME, not: { enum: [...OWN_ENTITY_TYPES] } });
}

class UsageField {
  @Text() field!: string;
  @Text({ max: LONGEST_URL }) url!: string;
}

class UsageFields {
  @EntityType() entity_type!: string;
  @Text() entity_id!: string;
  @Text({ optional }) label?: string | null;
  @ListOf(() => UsageField, { max: MOST_FIELDS, mayBeEmpty: true }) fields!: UsageField[];
}

class PutUsages {
  @Wrapper(() => UsageFields) usage!: UsageFields;
}

const UsageShape = named('CdnUsage', {
  entity_type: text,
  entity_id: text,
  field: text,
  label: nullable(text),
  url: text,
  total_count: integer,
});
const UsageListShape = record({ data: listOf(UsageShape) });

const DEFAULT_LIMIT = 30;

const BROKEN_QUERY = {
  search: { schema: text, description: 'in label, URL, entity type, entity id and key of the missing file' },
  ...PAGING,
};

/** Where the library's files are used. */
export function usageRoutes(usages: TypeOrmMediaUsages, database: Database): Route[] {
  return [
    route({
      method: 'put',
      path: '/cdn/usages',
      caller: 'app',
      extension: true,
      summary: 'Replaces what is recorded of one entity of yours, such as a page; outside URLs are not tracked',
      body: PutUsages,
      answers: { 200: UsageListShape },
      handle: async ({ app, body }) => ok(await usages.replace(app, body.usage)),
    }),
    route({
      method: 'get',
      path: '/cdn/usages/broken',
      caller: 'app',
      summary: 'Stored URLs of files that the library does not have; files in Trash are still there',
      query: BROKEN_QUERY,
      ignoresUnusableFilters: true,
      answers: { 200: UsageListShape },
      handle: async ({ app, query }) => {
        const statement = brokenUsagesStatement(app.id, soughtIn(query), pageOf(query, DEFAULT_LIMIT));
        return okText(await usageListJson(database, statement));
      },
    }),
    route({
      method: 'get',
      path: '/cdn/files/:id/usages',
      caller: 'app',
      summary: 'Where a file is used, one entry per use; of a file that is not in the app an empty list',
      query: PAGING,
      ignoresUnusableFilters: true,
      emptyWhenMissing: true,
      answers: { 200: UsageListShape },
      handle: async ({ app, id, query }) =>
        okText(await usageListJson(database, fileUsagesStatement(app.id, id, pageOf(query, DEFAULT_LIMIT)))),
    }),
  ];
}

/** What is sought, without the spaces around it; what no record can hold is as if it had not been sent. */
function soughtIn({ search }: Readonly<Record<string, unknown>>): string | undefined {
  const sought = typeof search === 'string' && isSound(search) ? search.trim() : '';
  return sought === '' ? undefined : sought;
}

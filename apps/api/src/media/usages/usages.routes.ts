import { IS_INVALID, checkText, checkUrlField, parsePage } from '@back-office/kernel';
import { type FileUsageQueries, type FileUsages, OWN_ENTITY_TYPES } from '@back-office/media';
import { ok, okJson } from '../../http/answer.js';
import { PAGING, SEARCHED_TEXT } from '../../http/query-parameters.js';
import { ValidatedBy, ListOf, Text, Wrapper } from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { integer, listOf, component, nullable, record, text } from '../../http/shapes.js';
import { searchOf } from '../files/file-filter.js';

const optional = true;
const MAX_NAME_LENGTH = 255;
const MAX_URL_LENGTH = 2_048;
const MAX_FIELDS = 1_000;

function EntityType(): PropertyDecorator {
  const validate = (value: unknown): string | undefined =>
    checkText(value, MAX_NAME_LENGTH, false) ?? (OWN_ENTITY_TYPES.includes(String(value)) ? IS_INVALID : undefined);
  return ValidatedBy(validate, { type: 'string', maxLength: MAX_NAME_LENGTH, not: { enum: [...OWN_ENTITY_TYPES] } });
}

function UsedUrl(): PropertyDecorator {
  const validate = (value: unknown): string | undefined => checkUrlField(value, MAX_URL_LENGTH, true);
  return ValidatedBy(validate, { type: 'string', maxLength: MAX_URL_LENGTH });
}

class UsageField {
  @Text() field!: string;
  @UsedUrl() url!: string;
}

class UsageFields {
  @EntityType() entity_type!: string;
  @Text() entity_id!: string;
  @Text({ optional }) label?: string | null;
  @ListOf(() => UsageField, { max: MAX_FIELDS, canBeEmpty: true }) fields!: UsageField[];
}

class PutUsages {
  @Wrapper(() => UsageFields) usage!: UsageFields;
}

const UsageShape = component('CdnUsage', {
  entity_type: text,
  entity_id: text,
  field: text,
  label: nullable(text),
  url: text,
  total_count: integer,
});
const UsageListShape = record({ data: listOf(UsageShape) });

const DEFAULT_LIMIT = 30;

const BROKEN_USAGES_QUERY = {
  search: { ...SEARCHED_TEXT, description: 'in label, URL, entity type, entity id and missing key' },
  ...PAGING,
};

export function usageRoutes(usages: FileUsages, queries: FileUsageQueries): Route[] {
  return [
    route({
      method: 'put',
      path: '/cdn/usages',
      caller: 'app',
      scope: 'media:write',
      extension: true,
      summary: 'Replaces the usages of one of your entities, such as a page; ignores external URLs',
      body: PutUsages,
      answers: { 200: UsageListShape },
      handle: async ({ app, body }) =>
        ok(await usages.replace({ id: app.id, prefix: app.settings.media.prefix }, body.usage)),
    }),
    route({
      method: 'get',
      path: '/cdn/usages/broken',
      caller: 'app',
      scope: 'media:read',
      summary: 'Lists stored URLs of missing files; files in Trash are not missing',
      query: BROKEN_USAGES_QUERY,
      ignoresInvalidFilters: true,
      answers: { 200: UsageListShape },
      handle: async ({ app, query }) => {
        return okJson(await queries.brokenUsages(app.id, searchOf(query), parsePage(query, DEFAULT_LIMIT)));
      },
    }),
    route({
      method: 'get',
      path: '/cdn/files/:id/usages',
      caller: 'app',
      scope: 'media:read',
      summary: 'Lists the usages of a file; empty for an unknown file',
      query: PAGING,
      ignoresInvalidFilters: true,
      emptyWhenMissing: true,
      answers: { 200: UsageListShape },
      handle: async ({ app, id, query }) =>
        okJson(await queries.usagesOfFile(app.id, id, parsePage(query, DEFAULT_LIMIT))),
    }),
  ];
}

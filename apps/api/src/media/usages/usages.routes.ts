import { checkUrlField, parsePage } from '@back-office/kernel';
import { type FileUsageQueries, type FileUsages, OWN_ENTITY_TYPES } from '@back-office/media';
import { ok, okJson } from '../../http/answer.js';
import { PAGING, SEARCHED_TEXT } from '../../http/query-parameters.js';
import {
  ArrayMaxSize,
  IsNotIn,
  IsOptional,
  Length,
  MaxLength,
  Type,
  ValidatedBy,
  ValidateNested,
  Wrapper,
} from '../../http/request-fields.js';
import { route, type Route } from '../../http/route.js';
import { integer, listOf, component, nullable, record, text } from '../../http/shapes.js';
import { searchOf } from '../files/file-filter.js';

const MAX_URL_LENGTH = 2_048;
const MAX_FIELDS = 1_000;

class UsageField {
  @Length(1, 255) field!: string;
  @ValidatedBy((value) => checkUrlField(value, MAX_URL_LENGTH, true), { type: 'string', maxLength: MAX_URL_LENGTH })
  url!: string;
}

class UsageFields {
  @Length(1, 255) @IsNotIn(OWN_ENTITY_TYPES) entity_type!: string;
  @Length(1, 255) entity_id!: string;
  @IsOptional() @MaxLength(255) label?: string | null;
  @ValidateNested({ each: true }) @Type(() => UsageField) @ArrayMaxSize(MAX_FIELDS) fields!: UsageField[];
}

class PutUsages {
  @Wrapper() @ValidateNested() @Type(() => UsageFields) usage!: UsageFields;
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

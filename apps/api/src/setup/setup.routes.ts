import type { Field, FieldType, FieldContext, Resource, Row, SetUpQueries, SetUpRecords } from '@back-office/checkout';
import { runInSlices } from '../http/run-in-slices.js';
import { ALREADY_TAKEN, formatDateTime, mapSteps, rowErrorKey, rowErrorKeys } from '@back-office/kernel';
import type { TSchema } from '@sinclair/typebox';
import { ok } from '../http/answer.js';
import { answerPageFromQuery, CURSOR } from '../http/cursor.js';
import { PAGING } from '../http/query-parameters.js';
import { rejectionAnswer } from '../http/errors.js';
import { route, type Route } from '../http/route.js';
import { rowsOf } from '../http/row-check.js';
import { dateTime, integer, listOf, component, record } from '../http/shapes.js';
import { presentedField, type PresentedField } from './field-shapes.js';
import type { ServedResource } from './resources.js';

const DEFAULT_LIMIT = 30;

export function resourceRoutes(servedResource: ServedResource, records: SetUpRecords, queries: SetUpQueries): Route[] {
  const { name, resource, pluralNoun, body } = servedResource;
  const { shape, present } = presenterOf(servedResource);
  const answers = { 200: record({ data: listOf(shape) }) };
  return [
    route({
      method: 'put',
      path: `/${name}`,
      caller: 'app',
      scope: 'settings:write',
      extension: true,
      summary: `Upserts ${pluralNoun} by code, all or nothing; absent fields stay`,
      body,
      answers,
      refusals: refusalsOf(resource),
      handle: async ({ app, body: requestBody }) => {
        const rows = rowsOf(requestBody, name);
        const result = await records.put(name, app, rows);
        if ('failures' in result)
          return rejectionAnswer(result.failures, { field: name, rows }, app, { area: resource.area });
        return ok(await runInSlices(mapSteps(result.rows, (row) => present(row, app))));
      },
    }),
    route({
      method: 'get',
      path: `/${name}`,
      caller: 'app',
      scope: 'settings:read',
      extension: true,
      summary: `Lists the app's ${pluralNoun}, oldest first`,
      query: { ...PAGING, ...CURSOR },
      answers,
      handle: ({ app, query }) =>
        answerPageFromQuery(query, DEFAULT_LIMIT, async (page) => {
          const rows = await queries.list(name, app.id, page);
          const lastRow = rows[page.limit - 1];
          const json = JSON.stringify(rows.map((row) => present(row, app)));
          return { json, end: lastRow ? [String(lastRow['id'])] : null };
        }),
    }),
  ];
}

/** Presenters are cached per resource, because a schema name may occur only once in the API reference. */
const presenters = new Map<ServedResource, RecordPresenter>();

export interface RecordPresenter {
  readonly shape: TSchema;
  readonly present: (row: Row, app: FieldContext['app']) => object;
}

export function presenterOf(servedResource: ServedResource): RecordPresenter {
  const fields = presentedFields(servedResource);
  const presenter = presenters.get(servedResource) ?? {
    shape: shapeOf(servedResource.schemaName, fields),
    present: (row, app) => presentRow(fields, row, app),
  };
  presenters.set(servedResource, presenter);
  return presenter;
}

type PresentedFields = readonly (readonly [name: string, field: Pick<PresentedField, 'responseShape' | 'present'>])[];

function presentedFields({ resource, readOnly = {} }: ServedResource): PresentedFields {
  const fields = Object.entries(resource.fields).map(([name, field]) => [name, presentedField(field)] as const);
  return [...fields, ...Object.entries(readOnly)];
}

function shapeOf(name: string, fields: PresentedFields) {
  return component(name, {
    id: integer,
    ...Object.fromEntries(fields.map(([field, { responseShape }]) => [field, responseShape] as const)),
    inserted_at: dateTime,
    updated_at: dateTime,
  });
}

function presentRow(fields: PresentedFields, row: Row, app: FieldContext['app']): object {
  const values = fields.map(([name, { present }]) => [name, present(row[name] ?? null, { app, row })] as const);
  const times = ['inserted_at', 'updated_at'].map((name) => [name, formatDateTime(row[name] as Date)] as const);
  return { id: row['id'], ...Object.fromEntries([...values, ...times]) };
}

function refusalsOf({ area, fields, reference, looseCode, limits = [], sometimesRequired = [] }: Resource): string[] {
  const names = Object.keys(fields).filter((name) => fields[name]?.type !== 'flag');
  const texts = names.filter((name) => hasLengthLimit(fields[name]));
  const required = names.filter((name) => isRequired(fields[name]) || sometimesRequired.includes(name));
  return [
    ...rowErrorKeys(area, {
      required: required.filter((name) => texts.includes(name)),
      texts: texts.filter((name) => !required.includes(name)),
      numbers: required.filter((name) => !texts.includes(name)),
      optionalValues: names.filter((name) => !required.includes(name) && !texts.includes(name)),
    }),
    ...(looseCode ? [rowErrorKey(area, looseCode, ALREADY_TAKEN)] : []),
    ...(reference ? [reference.failure] : []),
    ...limits.map(({ failure }) => failure),
  ];
}

const BOUNDED_TYPES: readonly (FieldType | undefined)[] = ['text', 'texts', 'pickup points'];

function hasLengthLimit(field: Field | undefined): boolean {
  return BOUNDED_TYPES.includes(field?.type);
}

/** Whether the field, or each entry of its list, must not be blank. */
function isRequired(field: Field | undefined): boolean {
  return field !== undefined && (!('initial' in field) || Array.isArray(field.initial));
}

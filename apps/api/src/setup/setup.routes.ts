import { formatDateTime, pageOf } from '@back-office/kernel';
import { ok } from '../http/answer.js';
import { PAGING } from '../http/query-parameters.js';
import { route, type Route } from '../http/route.js';
import { rowKeys, rowsOf } from '../http/row-check.js';
import { dateTime, integer, listOf, named, record } from '../http/shapes.js';
import type { Field, Reading, Row } from './fields.js';
import type { Resource } from './resource.js';
import type { TypeOrmSetUp } from './typeorm-set-up.js';

const DEFAULT_LIMIT = 30;

/** The PUT and the GET of a resource. */
export function resourceRoutes(resource: Resource, records: TypeOrmSetUp): Route[] {
  const { name, area, what, body } = resource;
  const answers = { 200: record({ data: listOf(shapeOf(resource)) }) };
  return [
    route({
      method: 'put',
      path: `/${name}`,
      caller: 'app',
      extension: true,
      summary: `Creates and changes ${what} in one call, all or nothing, matched by code; fields not sent stay`,
      body,
      answers,
      refusals: refusalsOf(resource),
      handle: async ({ app, body: sent }) => {
        const outcome = await records.put(app, rowsOf(sent, name));
        if ('failures' in outcome) {
          return { status: 422, body: { errors: { [area]: outcome.failures.map((key) => app.say(key)) } } };
        }
        return ok(outcome.rows.map((row) => present(resource, row, app)));
      },
    }),
    route({
      method: 'get',
      path: `/${name}`,
      caller: 'app',
      extension: true,
      summary: `The app's ${what}, oldest first`,
      query: PAGING,
      answers,
      handle: async ({ app, query }) => {
        const rows = await records.list(app.id, pageOf(query, DEFAULT_LIMIT));
        return ok(rows.map((row) => present(resource, row, app)));
      },
    }),
  ];
}

function shapeOf({ fields, readOnly = {}, shapeName }: Resource) {
  const shapes = Object.entries({ ...fields, ...readOnly }).map(([name, { shape }]) => [name, shape] as const);
  return named(shapeName, {
    id: integer,
    ...Object.fromEntries(shapes),
    inserted_at: dateTime,
    updated_at: dateTime,
  });
}

function present({ fields, readOnly = {} }: Resource, row: Row, app: Reading['app']): object {
  const shown = Object.entries({ ...fields, ...readOnly }).map(
    ([name, { toShown }]) => [name, toShown(row[name] ?? null, { app, row })] as const,
  );
  const times = ['inserted_at', 'updated_at'].map((name) => [name, formatDateTime(row[name] as Date)] as const);
  return { id: row['id'], ...Object.fromEntries([...shown, ...times]) };
}

function refusalsOf({ area, fields, reference, most, sometimesRequired = [] }: Resource): string[] {
  const names = Object.keys(fields).filter((name) => fields[name]?.sql !== 'boolean');
  const texts = names.filter((name) => isBounded(fields[name]));
  const required = names.filter((name) => isRequired(fields[name]) || sometimesRequired.includes(name));
  return [
    ...rowKeys(area, {
      required: required.filter((name) => texts.includes(name)),
      texts: texts.filter((name) => !required.includes(name)),
      numbers: required.filter((name) => !texts.includes(name)),
      others: names.filter((name) => !required.includes(name) && !texts.includes(name)),
    }),
    ...(reference ? [reference.failure] : []),
    ...(most ? [most.failure] : []),
  ];
}

/** Texts and lists may be too long. */
function isBounded(field: Field | undefined): boolean {
  const { maxLength, maxItems } = (field?.sent ?? {}) as { maxLength?: unknown; maxItems?: unknown };
  return maxLength !== undefined || maxItems !== undefined;
}

/** A list that may be empty holds entries that must not. */
function isRequired(field: Field | undefined): boolean {
  return field !== undefined && (!('initial' in field) || Array.isArray(field.initial));
}

import { IS_INVALID, parseBoolean, parseInteger } from '@back-office/kernel';
import type { Speech } from '@back-office/apps';
import type { Request } from 'express';
import type { Answer } from './answer.js';
import { canSelectFields, FIELDS_PARAMETER } from './fields.js';
import { formOf } from './multipart.js';
import { isPlainObject } from './nested-values.js';
import { generateBodySchemas, SCHEMA_REF_PREFIX } from './openapi-bodies.js';
import { formatPointer } from './pointer.js';
import { IS_UNKNOWN, requestProblem, type Problem } from './problems.js';
import type { QueryParameter, Route } from './route.js';

type Json = Readonly<Record<string, unknown>>;

/** A preference may have parameters after a semicolon, which are ignored. */
const STRICT = /^handling\s*=\s*"?strict"?\s*(?:;|$)/i;
const MAX_PROBLEMS = 100;
/** Maximum number of checked values; calls refuse a body with so many entries anyway. */
const MAX_VALUES = 500_000;

/** Whether the client sent `Prefer: handling=strict` (RFC 7240), so that ignored parts of the call are refused. */
export function isStrict({ headers }: Request): boolean {
  const { prefer } = headers;
  return typeof prefer === 'string' && prefer.split(',').some((part) => STRICT.test(part.trim()));
}

/** Refuses unknown parameters, unusable parameter values and unknown body fields. */
export function refuseIgnored(route: Route, request: Request, speech: Speech): Answer | undefined {
  const problems = [...listIgnored(route, request)];
  if (problems.length === 0) return undefined;
  // Uses a map, because a field named `constructor` would match an inherited property of an object.
  const messages = new Map<string, string[]>();
  for (const { place, message } of problems) messages.set(place, [...(messages.get(place) ?? []), speech.say(message)]);
  const errors = Object.fromEntries(messages);
  return { status: 422, body: { errors }, problems: problems.map(({ problem }) => problem) };
}

interface Ignored {
  readonly place: string;
  readonly message: string;
  readonly problem: Problem;
}

function* listIgnored(route: Route, request: Request): Generator<Ignored> {
  let count = 0;
  for (const ignored of listAll(route, request)) {
    yield ignored;
    count += 1;
    if (count === MAX_PROBLEMS) return;
  }
}

function* listAll(route: Route, request: Request): Generator<Ignored> {
  const parameters = parametersOf(route);
  for (const [name, value] of Object.entries(request.query)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const details = { parameter: name };
    if (parameter === undefined)
      yield { place: name, message: IS_UNKNOWN, problem: requestProblem('Request.UnknownParameter', { details }) };
    else if (value !== '' && !isUsable(parameter, value))
      yield { place: name, message: IS_INVALID, problem: requestProblem('Request.InvalidParameter', { details }) };
  }
  if (route.body === undefined) return;
  const body: unknown = route.upload ? formOf(request).fields : request.body;
  const budget = { values: MAX_VALUES };
  for (const path of unknownFields(body, { $ref: SCHEMA_REF_PREFIX + route.body.name }, [], budget))
    yield {
      place: path.join('.'),
      message: IS_UNKNOWN,
      problem: requestProblem('Request.UnknownField', { pointer: formatPointer(path) }),
    };
}

function parametersOf(route: Route): Readonly<Record<string, QueryParameter>> {
  return { ...(canSelectFields(route) && { fields: FIELDS_PARAMETER }), ...route.query };
}

/** Names the parameters whose values the call ignores, in the order of the query. */
export function unusableParameters(route: Route, { query }: Request): string[] {
  const parameters = parametersOf(route);
  return Object.entries(query).flatMap(([name, value]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return parameter === undefined || value === '' || isUsable(parameter, value) ? [] : [name];
  });
}

function isUsable({ schema, isUsable: check }: QueryParameter, value: unknown): boolean {
  if (check) return check(value);
  const { type, enum: values } = schema as { readonly type?: string; readonly enum?: readonly unknown[] };
  if (type === 'integer') return parseInteger(value) !== undefined;
  if (type === 'boolean') return parseBoolean(value) !== undefined;
  if (type === 'number') return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return values === undefined || values.includes(value);
}

let schemas: Json | undefined;

function* unknownFields(
  value: unknown,
  schema: Json,
  path: readonly (string | number)[],
  budget: { values: number },
): Generator<(string | number)[]> {
  budget.values -= 1;
  if (budget.values < 0) return;
  const { properties, items, additionalProperties } = resolve(schema);
  if (Array.isArray(value) && items !== undefined)
    for (const [index, entry] of value.entries()) {
      yield* unknownFields(entry, items as Json, [...path, index], budget);
      if (budget.values < 0) return;
    }
  if (!isPlainObject(value) || properties === undefined || additionalProperties) return;
  for (const [name, field] of Object.entries(value)) {
    if (!Object.hasOwn(properties as Json, name)) yield [...path, name];
    else
      yield* unknownFields(field, (properties as Readonly<Record<string, Json>>)[name] ?? {}, [...path, name], budget);
  }
}

/** Resolves references, and drops the alternative `null`. */
function resolve(schema: Json): Json {
  const { $ref, anyOf } = schema as { readonly $ref?: string; readonly anyOf?: readonly Json[] };
  if ($ref !== undefined)
    return resolve(((schemas ??= generateBodySchemas())[$ref.slice(SCHEMA_REF_PREFIX.length)] ?? {}) as Json);
  const alternative = anyOf?.find(({ type }) => type !== 'null');
  return alternative === undefined ? schema : resolve(alternative);
}

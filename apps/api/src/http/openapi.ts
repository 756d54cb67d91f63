import type { TSchema } from '@sinclair/typebox';
import { STATUS_CODES } from 'node:http';
import { BASE_PATH } from './base-path.js';
import { errorKeysOf, isKeyed } from './error-keys.js';
import { statusOf, TOKEN_FAILURES } from './errors.js';
import { bodySchemas, REFS, requestBody, withoutUnused } from './openapi-bodies.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const DESCRIPTION = `Amounts are numbers in the currency of the record. Datetimes are UTC, without offset and fraction.
Lists answer the page under \`data\` and nothing else: a page with fewer rows than \`limit\` is the last one.
Errors are \`{errors: {<field or area>: [<message key or text>]}}\`; branch on status and key, never on the text.
\`x-error-keys\` lists the keys and texts that an answer may hold beside broken rules of fields.
Calls marked with \`x-extension\` are presupposed by the published interface, but not listed in it.`;

/** The API reference as OpenAPI 3.1, from the route table. Throws when two schemas share a name. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const schemas: Json = { ...ERRORS, ...bodySchemas() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}');
    const calls = paths[path] ?? {};
    if (route.method in calls) throw new Error(`Two routes serve ${route.method} ${path}`);
    paths[path] = { ...calls, [route.method]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Retail back-office', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(areaOf))].sort().map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    components: {
      schemas: withoutUnused(schemas, paths),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(route: Route, schemas: Json): Json {
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [areaOf(route)],
    ...(route.extension && { 'x-extension': true }),
    ...(route.caller === 'public' && { security: [] }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...(isKeyed(route) ? [IDEMPOTENCY_KEY] : [])],
    ...(route.body && { requestBody: requestBody(route, schemas) }),
    responses: withErrorKeys(route, { ...successes(route, schemas), ...failures(route, schemas) }),
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key within 24 hours gets the first answer again, and nothing is done twice',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function pathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer' } }));
}

function queryParameters(route: Route): Json[] {
  return Object.entries(route.query ?? {}).map(([name, { schema, description, required }]) => ({
    name,
    in: 'query',
    description,
    required: required ?? false,
    schema: { ...schema },
  }));
}

/** Adds to each answer the message keys and texts that it may hold. */
function withErrorKeys(route: Route, responses: Json): Json {
  const keys = errorKeysOf(route);
  const entries = Object.entries(responses).map(([status, response]) => {
    const own = keys.get(Number(status));
    return [status, { ...(response as Json), ...(own && { 'x-error-keys': own }) }] as const;
  });
  return Object.fromEntries(entries);
}

function successes(route: Route, schemas: Json): Json {
  const entries = Object.entries(route.answers).map(([status, shape]) => [
    status,
    { description: STATUS_CODES[status], ...(shape && { content: contentOf(route, referenced(shape, schemas)) }) },
  ]);
  return Object.fromEntries(entries) as Json;
}

function contentOf({ media = ['application/json'] }: Route, schema: unknown): Json {
  return Object.fromEntries(media.map((type) => [type, { schema }]));
}

/** Replaces named shapes by references and adds them to `schemas`. */
function referenced(shape: TSchema, schemas: Json, isComponent = false): unknown {
  const { $id: name } = shape;
  if (name !== undefined && !isComponent) {
    if (!(name in schemas)) schemas[name] = referenced(shape, schemas, true);
    return { $ref: REFS + name };
  }
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([key]) => key !== '$id')
      .map(([key, value]: [string, unknown]) => [key, referencedPart(value, schemas)]),
  );
}

function referencedPart(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => referencedPart(each, schemas));
  return typeof value === 'object' && value !== null ? referenced(value as TSchema, schemas) : value;
}

function failures(route: Route, schemas: Json): Json {
  const byStatus: Record<number, Json> = {
    400: failure('The request cannot be read', 'DetailError'),
    401: failure(`Token missing, invalid, expired or revoked: ${keysOf(TOKEN_FAILURES)}`, 'TokenError'),
    406: failure(`The Accept header rules out ${route.media?.join(' and ') ?? 'JSON'}`, 'DetailError'),
    413: failure('Body or head larger than accepted; split the batch', 'DetailError'),
    429: failure('More calls than RateLimit-Policy allows the token; see Retry-After', 'DetailError'),
    500: failure('A failure on our side; retry after a pause that grows', 'MessageError'),
    503: failure('Busy or shutting down; see Retry-After', 'DetailError'),
  };
  if (route.path.includes(':id') && !route.emptyWhenMissing)
    byStatus[404] = { description: 'No such record in the app; empty body' };
  if (route.missing) byStatus[404] = failure(`No such record in the app: \`${route.missing}\``, 'RuleError');
  if (isKeyed(route))
    byStatus[409] = failure('A call with this Idempotency-Key is running; see Retry-After', 'RuleError');
  for (const [status, keys] of keysByStatus(route)) byStatus[status] = named(status, keys);
  if (route.body || isKeyed(route) || isRefused(route)) byStatus[422] = failure(refusalText(route), 'RuleError');
  for (const [status, shape] of Object.entries(route.failures ?? {})) {
    const usual = byStatus[Number(status)] as FailureAnswer;
    byStatus[Number(status)] = { ...usual, content: json({ anyOf: [referenced(shape, schemas), schemaOf(usual)] }) };
  }
  return byStatus;
}

/** Message keys by status, except those answered 422. */
function keysByStatus({ refusals = [] }: Route): Map<number, string[]> {
  const byStatus = new Map<number, string[]>();
  for (const key of refusals) {
    const status = statusOf(key);
    if (status !== 422) byStatus.set(status, [...(byStatus.get(status) ?? []), key]);
  }
  return byStatus;
}

function named(status: number, keys: readonly string[]): Json {
  const plain = status === 400 ? 'The request cannot be read' : 'No such record in the app';
  const schema = {
    anyOf: [...(status === 400 ? ['DetailError'] : []), 'RuleError'].map((name) => ({ $ref: REFS + name })),
  };
  return { description: `${plain}: ${keysOf(keys)}`, content: json(schema) };
}

interface FailureAnswer extends Json {
  readonly content: Readonly<Record<'application/json', { readonly schema: unknown }>>;
}

function schemaOf({ content }: FailureAnswer): unknown {
  return content['application/json'].schema;
}

function isRefused({ refusals = [] }: Route): boolean {
  return refusals.some((key) => statusOf(key) === 422);
}

function refusalText(route: Route): string {
  const ruled = (route.refusals ?? []).filter((key) => statusOf(key) === 422);
  const refusals = [...ruled, ...(isKeyed(route) ? ['API.Idempotency.KeyReused'] : [])];
  const failed = 'A field failed validation';
  return refusals.length === 0 ? failed : `${failed}, or a rule refused: ${keysOf(refusals)}`;
}

function keysOf(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(', ');
}

function failure(description: string, error: string): Json {
  return { description, content: json({ $ref: REFS + error }) };
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } };
}

const text = { type: 'string' };
const errors = (properties: Json): Json => ({
  type: 'object',
  required: ['errors'],
  properties: { errors: { type: 'object', properties, required: Object.keys(properties) } },
});
const ERRORS: Json = {
  DetailError: errors({ detail: text }),
  TokenError: errors({ token: text }),
  MessageError: { type: 'object', required: ['message'], properties: { message: text } },
  RuleError: {
    type: 'object',
    required: ['errors'],
    properties: { errors: { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } } },
  },
};

function areaOf({ path }: Route): string {
  return path.split('/').find((segment) => segment !== '' && segment !== 'int') ?? '';
}

function operationId({ method, path }: Route): string {
  const words = path
    .replaceAll(':', 'by_')
    .split(/[/_]/)
    .filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

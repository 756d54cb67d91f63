import type { TSchema } from '@sinclair/typebox';
import { STATUS_CODES } from 'node:http';
import { BASE_PATH } from './base-path.js';
import { errorKeysOf, isKeyed } from './error-keys.js';
import { statusOf, TOKEN_FAILURES } from './errors.js';
import { generateBodySchemas, REFS, describeRequestBody, removeUnused } from './openapi-bodies.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const DESCRIPTION = `Amounts are numbers in the currency of the record. Datetimes are UTC, without offset and fraction.
Lists answer the page under \`data\` and nothing else: a page with fewer rows than \`limit\` is the last one.
Errors are \`{errors: {<field or area>: [<message key or text>]}}\`; branch on status and key, never on the text.
\`x-error-keys\` lists the keys and texts that an answer may hold beside broken rules of fields.
Calls marked with \`x-extension\` are presupposed by the published interface, but not listed in it.`;

/** Builds the API reference from the route table. Throws when two schemas share a name. */
export function buildOpenApiDocument(routes: readonly Route[], version: string): Json {
  const schemas: Json = { ...ERRORS, ...generateBodySchemas() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}');
    const calls = paths[path] ?? {};
    if (route.method in calls) throw new Error(`Two routes serve ${route.method} ${path}`);
    paths[path] = { ...calls, [route.method]: describeOperation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Retail back-office', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(areaOf))].sort().map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    components: {
      schemas: removeUnused(schemas, paths),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describeOperation(route: Route, schemas: Json): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [areaOf(route)],
    ...(route.extension && { 'x-extension': true }),
    ...(route.caller === 'public' && { security: [] }),
    parameters: [
      ...listPathParameters(route),
      ...listQueryParameters(route),
      ...(isKeyed(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(route.body && { requestBody: describeRequestBody(route, schemas) }),
    responses: addErrorKeys(route, { ...describeSuccesses(route, schemas), ...describeFailures(route, schemas) }),
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key within 24 hours gets the first answer again, and nothing is done twice',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function listPathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'integer' } }));
}

function listQueryParameters(route: Route): Json[] {
  return Object.entries(route.query ?? {}).map(([name, { schema, description, required }]) => ({
    name,
    in: 'query',
    description,
    required: required ?? false,
    schema: { ...schema },
  }));
}

function addErrorKeys(route: Route, responses: Json): Json {
  const keys = errorKeysOf(route);
  const entries = Object.entries(responses).map(([status, response]) => {
    const statusKeys = keys.get(Number(status));
    return [status, { ...(response as Json), ...(statusKeys && { 'x-error-keys': statusKeys }) }] as const;
  });
  return Object.fromEntries(entries);
}

function describeSuccesses(route: Route, schemas: Json): Json {
  const entries = Object.entries(route.answers).map(([status, shape]) => [
    status,
    {
      description: STATUS_CODES[status],
      ...(shape && { content: contentOf(route, extractNamedShapes(shape, schemas)) }),
    },
  ]);
  return Object.fromEntries(entries) as Json;
}

function contentOf({ media = ['application/json'] }: Route, schema: unknown): Json {
  return Object.fromEntries(media.map((type) => [type, { schema }]));
}

function extractNamedShapes(shape: TSchema, schemas: Json, isComponent = false): unknown {
  const { $id: name } = shape;
  if (name !== undefined && !isComponent) {
    if (!(name in schemas)) schemas[name] = extractNamedShapes(shape, schemas, true);
    return { $ref: REFS + name };
  }
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([key]) => key !== '$id')
      .map(([key, value]: [string, unknown]) => [key, extractNamedShapesIn(value, schemas)]),
  );
}

function extractNamedShapesIn(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((entry) => extractNamedShapesIn(entry, schemas));
  return typeof value === 'object' && value !== null ? extractNamedShapes(value as TSchema, schemas) : value;
}

function describeFailures(route: Route, schemas: Json): Json {
  const byStatus: Record<number, Json> = {
    400: describeFailure('The request cannot be read', 'DetailError'),
    401: describeFailure(`Token missing, invalid, expired or revoked: ${formatKeys(TOKEN_FAILURES)}`, 'TokenError'),
    406: describeFailure(`The Accept header rules out ${route.media?.join(' and ') ?? 'JSON'}`, 'DetailError'),
    413: describeFailure('Body or head larger than accepted; split the batch', 'DetailError'),
    429: describeFailure('More calls than RateLimit-Policy allows the token; see Retry-After', 'DetailError'),
    500: describeFailure('A failure on our side; retry after a pause that grows', 'MessageError'),
    503: describeFailure('Busy or shutting down; see Retry-After', 'DetailError'),
  };
  if (route.path.includes(':id') && !route.emptyWhenMissing)
    byStatus[404] = { description: 'No such record in the app; empty body' };
  if (route.missingKey)
    byStatus[404] = describeFailure(`No such record in the app: \`${route.missingKey}\``, 'RuleError');
  if (isKeyed(route))
    byStatus[409] = describeFailure('A call with this Idempotency-Key is running; see Retry-After', 'RuleError');
  for (const [status, keys] of groupKeysByStatus(route)) byStatus[status] = describeFailureWithKeys(status, keys);
  if (route.body || isKeyed(route) || hasRuleRefusals(route))
    byStatus[422] = describeFailure(describeRefusals(route), 'RuleError');
  for (const [status, shape] of Object.entries(route.failures ?? {})) {
    const defaultFailure = byStatus[Number(status)] as FailureAnswer;
    byStatus[Number(status)] = {
      ...defaultFailure,
      content: jsonContent({ anyOf: [extractNamedShapes(shape, schemas), schemaOf(defaultFailure)] }),
    };
  }
  return byStatus;
}

function groupKeysByStatus({ refusals = [] }: Route): Map<number, string[]> {
  const byStatus = new Map<number, string[]>();
  for (const key of refusals) {
    const status = statusOf(key);
    if (status !== 422) byStatus.set(status, [...(byStatus.get(status) ?? []), key]);
  }
  return byStatus;
}

function describeFailureWithKeys(status: number, keys: readonly string[]): Json {
  const reason = status === 400 ? 'The request cannot be read' : 'No such record in the app';
  const schema = {
    anyOf: [...(status === 400 ? ['DetailError'] : []), 'RuleError'].map((name) => ({ $ref: REFS + name })),
  };
  return { description: `${reason}: ${formatKeys(keys)}`, content: jsonContent(schema) };
}

interface FailureAnswer extends Json {
  readonly content: Readonly<Record<'application/json', { readonly schema: unknown }>>;
}

function schemaOf({ content }: FailureAnswer): unknown {
  return content['application/json'].schema;
}

function hasRuleRefusals({ refusals = [] }: Route): boolean {
  return refusals.some((key) => statusOf(key) === 422);
}

function describeRefusals(route: Route): string {
  const ruleKeys = (route.refusals ?? []).filter((key) => statusOf(key) === 422);
  const refusals = [...ruleKeys, ...(isKeyed(route) ? ['API.Idempotency.KeyReused'] : [])];
  const validationText = 'A field failed validation';
  return refusals.length === 0 ? validationText : `${validationText}, or a rule refused: ${formatKeys(refusals)}`;
}

function formatKeys(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(', ');
}

function describeFailure(description: string, error: string): Json {
  return { description, content: jsonContent({ $ref: REFS + error }) };
}

function jsonContent(schema: unknown): Json {
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

function operationIdOf({ method, path }: Route): string {
  const words = path
    .replaceAll(':', 'by_')
    .split(/[/_]/)
    .filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

import { STATUS_CODES } from 'node:http';
import { BASE_PATH } from './base-path.js';
import { errorKeysOf, isKeyed } from './error-keys.js';
import { SCOPE_MISSING, statusOf, TOKEN_FAILURES } from './errors.js';
import { ANSWER_NOT_KEPT } from './idempotency.js';
import { generateBodySchemas, REFS, describeRequestBody, removeUnused } from './openapi-bodies.js';
import { extractNamedShapes } from './openapi-shapes.js';
import { describeWebhook, type WebhookDescription } from './openapi-webhooks.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const DESCRIPTION = `Amounts are numbers in the currency of the record. Datetimes are UTC, without offset and fraction.
Lists answer the page under \`data\` and nothing else: a page with fewer rows than \`limit\` is the last one.
Errors are \`{errors: {<field or area>: [<message key or text>]}}\`; branch on status and key, never on the text.
\`x-error-keys\` lists the keys and texts that an answer may hold beside broken rules of fields.
\`x-scope\` is the scope that an app's token needs; a token without named scopes has every scope.
Calls marked with \`x-extension\` are presupposed by the published interface, but not listed in it.`;

/** Builds the API reference from the route table. Throws when two schemas share a name. */
export function buildOpenApiDocument(
  routes: readonly Route[],
  version: string,
  webhooks: readonly WebhookDescription[] = [],
): Json {
  const schemas: Json = { ...ERRORS, ...generateBodySchemas() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}');
    const calls = paths[path] ?? {};
    if (route.method in calls) throw new Error(`Two routes serve ${route.method} ${path}`);
    paths[path] = { ...calls, [route.method]: describeOperation(route, schemas) };
  }
  const webhookItems = webhooks.map((webhook) => [webhook.name, describeWebhook(webhook, schemas)] as const);
  return {
    openapi: '3.1.0',
    info: { title: 'Retail back-office', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(areaOf))].sort().map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhookItems) }),
    components: {
      schemas: removeUnused(schemas, { paths, webhookItems }),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describeOperation(route: Route, schemas: Json): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    ...(route.scope && { description: `Needs a token with the scope \`${route.scope}\`.`, 'x-scope': route.scope }),
    tags: [areaOf(route)],
    ...(route.extension && { 'x-extension': true }),
    ...(route.caller === 'public' && { security: [] }),
    ...(route.scope && { security: [{ token: [route.scope] }] }),
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
  if (route.scope)
    byStatus[403] = describeFailure(`The token lacks the scope of the call: \`${SCOPE_MISSING}\``, 'TokenError');
  if (route.path.includes(':id') && !route.emptyWhenMissing)
    byStatus[404] = { description: 'No such record in the app; empty body' };
  if (route.missingKey)
    byStatus[404] = describeFailure(`No such record in the app: \`${route.missingKey}\``, 'RuleError');
  if (isKeyed(route))
    byStatus[409] = describeFailure('A call with this Idempotency-Key is running; see Retry-After', 'RuleError');
  if (isKeyed(route))
    byStatus[410] = describeFailure('The kept answer of this Idempotency-Key showed an erased customer', 'DetailError');
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

interface FailureWithKeys {
  readonly reason: string;
  /** Names of error schemas that the status may have beside `RuleError`. */
  readonly errorNames: readonly string[];
}

const MISSING_WITH_KEY: FailureWithKeys = { reason: 'No such record in the app', errorNames: [] };
const FAILURES_WITH_KEYS: Readonly<Record<number, FailureWithKeys>> = {
  400: { reason: 'The request cannot be read', errorNames: ['DetailError'] },
  403: { reason: `The token lacks the scope (\`${SCOPE_MISSING}\`), or a rule refused`, errorNames: ['TokenError'] },
};

function describeFailureWithKeys(status: number, keys: readonly string[]): Json {
  const { reason, errorNames } = FAILURES_WITH_KEYS[status] ?? MISSING_WITH_KEY;
  const schema = { anyOf: [...errorNames, 'RuleError'].map((name) => ({ $ref: REFS + name })) };
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
  const refusals = [...ruleKeys, ...(isKeyed(route) ? ['API.Idempotency.KeyReused', ANSWER_NOT_KEPT] : [])];
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

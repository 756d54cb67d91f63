import { STATUS_CODES } from 'node:http';
import { BASE_PATH } from './base-path.js';
import { errorKeysOf, acceptsIdempotencyKey } from './error-keys.js';
import { canSelectFields, FIELDS_PARAMETER } from './fields.js';
import { areaOf, describeAreas } from './openapi-areas.js';
import { generateBodySchemas, describeRequestBody, removeUnused } from './openapi-bodies.js';
import {
  commonErrorNameOf,
  describeCommonErrors,
  describeFailures,
  describeTokenError,
  ERRORS,
} from './openapi-errors.js';
import { addExamples, type ApiExamples } from './openapi-examples.js';
import { DEPRECATION_HEADERS, HEADERS, headersOf } from './openapi-headers.js';
import { describeCaller, SECURITY_SCHEMES, securityOf } from './openapi-security.js';
import { extractNamedShapes, registerBodySchema } from './openapi-shapes.js';
import { describeWebhook, type WebhookDescription } from './openapi-webhooks.js';
import type { Route } from './route.js';
import { SERVICE_VERSION } from '../version.js';

type Json = Record<string, unknown>;

const DESCRIPTION = `Amounts are numbers in the currency of the record. Datetimes are UTC.

New here? Follow the [quickstart](/docs/guides/quickstart) from a basket to an order.

The [conventions](/docs/guides/conventions) of all calls describe pages, repeats, entity tags and errors. [Errors](/docs/guides/errors) lists every message key.

[Tokens](/docs/guides/tokens) have scopes; the description of each call names its scope. Phones and browsers of customers use [sessions](/docs/guides/sessions).

To call the API from a program, use the [client](/docs/guides/client), or generate one from [openapi.json](/openapi.json). The [guides](/docs/guides/) explain all areas.`;

/** Builds the API reference from the route table. Throws when two schemas have the same name. */
export function buildOpenApiDocument(
  routes: readonly Route[],
  version: string,
  webhooks: readonly WebhookDescription[] = [],
  examples: ApiExamples = {},
): Json {
  const schemas: Json = { ...ERRORS, ...generateBodySchemas() };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}');
    const calls = paths[path] ?? {};
    if (route.method in calls) throw new Error(`Two routes serve ${route.method} ${path}`);
    paths[path] = { ...calls, [route.method]: addExamples(describeOperation(route, schemas), route, examples) };
  }
  const webhookItems = webhooks.map((webhook) => [webhook.name, describeWebhook(webhook, schemas)] as const);
  const responses: Json = { TokenError: describeTokenError() };
  for (const route of routes) responses[commonErrorNameOf(route)] ??= describeCommonErrors(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Retail back-office',
      version,
      'x-service-version': SERVICE_VERSION,
      description: DESCRIPTION,
      contact: { name: 'Operator of this installation' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/' }],
    tags: describeAreas(new Set([...routes.map(areaOf), ...(webhooks.length > 0 ? ['Events'] : [])])),
    security: [{ appToken: [] }],
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhookItems) }),
    components: {
      schemas: sortByName(removeUnused(schemas, { paths, webhookItems, responses })),
      responses,
      headers: { ...HEADERS, ...(routes.some(({ deprecated }) => deprecated) && DEPRECATION_HEADERS) },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Sorts the schemas, which would otherwise be in the order in which modules are loaded. */
function sortByName(schemas: Json): Json {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeOperation(route: Route, schemas: Json): Json {
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    description: describeOperationOf(route),
    ...(route.deprecated && { deprecated: true }),
    ...(route.scope && { 'x-scope': route.scope }),
    tags: [areaOf(route)],
    ...(route.extension && { 'x-extension': true }),
    security: securityOf(route),
    parameters: [
      ...listPathParameters(route),
      ...listQueryParameters(route),
      ...(acceptsIdempotencyKey(route) ? [IDEMPOTENCY_KEY] : []),
      ...(route.guard ? [IF_MATCH] : []),
    ],
    ...(route.body && { requestBody: describeRequestBody(route, schemas) }),
    responses: {
      ...addDetails(route, { ...describeSuccesses(route, schemas), ...describeFailures(route, schemas) }),
      ...(route.caller !== 'public' && { 401: { $ref: '#/components/responses/TokenError' } }),
      default: { $ref: `#/components/responses/${commonErrorNameOf(route)}` },
    },
  };
}

function describeOperationOf(route: Route): string {
  const { deprecated } = route;
  const notice =
    deprecated && ` Deprecated since ${deprecated.since}, ends on ${deprecated.until}: ${deprecated.instead}.`;
  return describeCaller(route) + (notice ?? '');
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeat with the same key within 24 hours gets the first answer again, and nothing is done twice',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the record: the call is done only if the record still has it, else 412',
  schema: { type: 'string', maxLength: 1_000 },
};

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Id of the record',
  payment_id: 'Id of the card payment',
  refund_id: 'Id of the refund',
  version: 'Number of the version',
};

function listPathParameters(route: Route): Json[] {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name],
    schema: { type: 'integer', format: 'int64' },
  }));
}

function listQueryParameters(route: Route): Json[] {
  const parameters = { ...route.query, ...(canSelectFields(route) && { fields: FIELDS_PARAMETER }) };
  return Object.entries(parameters).map(([name, { schema, description, required }]) => ({
    name,
    in: 'query',
    description,
    required: required ?? false,
    schema: { ...schema },
  }));
}

function addDetails(route: Route, responses: Json): Json {
  const keys = errorKeysOf(route);
  const entries = Object.entries(responses).map(([status, response]) => {
    const statusKeys = keys.get(Number(status));
    const headers = headersOf(route, Number(status));
    return [status, { ...(response as Json), headers, ...(statusKeys && { 'x-error-keys': statusKeys }) }] as const;
  });
  return Object.fromEntries(entries);
}

function describeSuccesses(route: Route, schemas: Json): Json {
  const entries = Object.entries(route.answers).map(([status, shape]) => [
    status,
    {
      description: STATUS_CODES[status],
      ...(shape && {
        content: contentOf(route, registerBodySchema(extractNamedShapes(shape, schemas), bodyNameOf(route), schemas)),
      }),
    },
  ]);
  return Object.fromEntries(entries) as Json;
}

function contentOf({ media = ['application/json'] }: Route, schema: unknown): Json {
  return Object.fromEntries(media.map((type) => [type, { schema }]));
}

function operationIdOf({ method, path }: Route): string {
  const words = path
    .replaceAll(':', 'by_')
    .split(/[/_-]/)
    .filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function bodyNameOf(route: Route): string {
  const name = operationIdOf(route);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

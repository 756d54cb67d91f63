import { acceptsIdempotencyKey } from './error-keys.js';
import { SCOPE_MISSING, statusOf, TOKEN_FAILURES } from './errors.js';
import { ANSWER_NOT_STORED } from './idempotency.js';
import { SCHEMA_REF_PREFIX } from './openapi-bodies.js';
import { refsTo } from './openapi-headers.js';
import { extractNamedShapes } from './openapi-shapes.js';
import { PROBLEM_TYPE } from './problem-document.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const text = { type: 'string' };
const errors = (properties: Json): Json => ({
  type: 'object',
  required: ['errors'],
  properties: { errors: { type: 'object', properties, required: Object.keys(properties) } },
});

const PROBLEM_ENTRY: Json = {
  type: 'object',
  required: ['key', 'message'],
  properties: {
    key: { type: 'string', description: 'stable; branch on it' },
    message: { type: 'string', description: 'for people; an app may translate it' },
    pointer: { type: 'string', description: 'JSON pointer to the value in the body' },
    row: { type: 'integer', format: 'int64', description: 'index of the row in a bulk call, from 0' },
    identifiers: { type: 'object', additionalProperties: true, description: 'codes and ids of the row' },
    details: { type: 'object', additionalProperties: true, description: 'facts such as the available quantity' },
  },
};

export const ERRORS: Json = {
  Problem: {
    type: 'object',
    description: 'A failure for clients that send `Accept: application/problem+json, application/json` (RFC 9457)',
    required: ['type', 'title', 'status', 'detail', 'request_id', 'errors'],
    properties: {
      type: text,
      title: { ...text, description: 'text of the status' },
      status: { type: 'integer', format: 'int64' },
      detail: { ...text, description: 'message of the first error' },
      request_id: text,
      errors: { type: 'array', minItems: 1, items: PROBLEM_ENTRY },
    },
  },
  DetailError: errors({ detail: text }),
  TokenError: errors({ token: text }),
  MessageError: { type: 'object', required: ['message'], properties: { message: text } },
  RuleError: {
    type: 'object',
    required: ['errors'],
    properties: { errors: { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } } },
  },
};

interface CommonFailure {
  readonly reason: string;
  readonly schema: string;
  readonly keys?: readonly string[];
  /** An additional reason for this status in calls that accept an `Idempotency-Key`. */
  readonly ofKeyedCalls?: { readonly reason: string; readonly keys: readonly string[] };
  /** Whether the call can fail in this way; by default, every call can. */
  readonly isPossible?: (route: Route) => boolean;
}

/** Failures that many calls share, so the API reference describes them once. */
const COMMON_FAILURES: Readonly<Record<number, CommonFailure>> = {
  400: { reason: 'the request cannot be read', schema: 'DetailError' },
  401: {
    reason: 'token missing, invalid, expired or revoked',
    schema: 'TokenError',
    keys: TOKEN_FAILURES,
    isPossible: ({ caller }) => caller !== 'public',
  },
  403: {
    reason: 'the token lacks the scope of the call',
    schema: 'TokenError',
    keys: [SCOPE_MISSING],
    isPossible: ({ scope }) => scope !== undefined,
  },
  406: { reason: 'the `Accept` header rules out JSON', schema: 'DetailError' },
  409: {
    reason: 'a call with this `Idempotency-Key` is running; see `Retry-After`',
    schema: 'RuleError',
    keys: ['API.Idempotency.InProgress'],
    isPossible: acceptsIdempotencyKey,
  },
  410: {
    reason: 'the kept answer of this `Idempotency-Key` showed an erased customer',
    schema: 'DetailError',
    isPossible: acceptsIdempotencyKey,
  },
  413: { reason: 'body or head larger than accepted; split the batch', schema: 'DetailError' },
  422: {
    reason: '`Prefer: handling=strict` found a part of the call that would be ignored',
    schema: 'RuleError',
    ofKeyedCalls: {
      reason: 'the `Idempotency-Key` belongs to another request, or its answer is not kept',
      keys: ['API.Idempotency.KeyReused', ANSWER_NOT_STORED],
    },
  },
  429: { reason: 'more calls than `RateLimit-Policy` allows; see `Retry-After`', schema: 'DetailError' },
  500: { reason: 'a failure of the service; retry after a pause that grows', schema: 'MessageError' },
  503: { reason: 'busy or shutting down; see `Retry-After`', schema: 'DetailError' },
};

function commonFailuresOf(route: Route): (readonly [status: string, failure: CommonFailure])[] {
  return Object.entries(COMMON_FAILURES)
    .filter(([, { isPossible }]) => isPossible?.(route) ?? true)
    .map(([status, failure]) => [status, acceptsIdempotencyKey(route) ? addKeyedReason(failure) : failure]);
}

function addKeyedReason({ ofKeyedCalls, ...failure }: CommonFailure): CommonFailure {
  if (ofKeyedCalls === undefined) return failure;
  const { reason, keys } = ofKeyedCalls;
  return { ...failure, reason: `${failure.reason}; or ${reason}`, keys: [...(failure.keys ?? []), ...keys] };
}

export function commonStatusesOf(route: Route): number[] {
  return commonFailuresOf(route).map(([status]) => Number(status));
}

/** Name of the shared response that lists the common failures of the route. */
export function commonErrorNameOf(route: Route): string {
  const kind = route.caller === 'public' ? 'Public' : route.scope === undefined ? 'Session' : 'App';
  return `${kind}${acceptsIdempotencyKey(route) ? 'Keyed' : ''}Errors`;
}

/** Describes each failure in `x-failures`, because one schema covers all common failures. */
export function describeCommonErrors(route: Route): Json {
  const failures = commonFailuresOf(route);
  const lines = failures.map(
    ([status, { reason, keys = [] }]) => `- ${status}: ${reason}${keys.length > 0 ? `: ${formatKeys(keys)}` : ''}`,
  );
  const schemaNames = new Set(failures.map(([, { schema }]) => schema));
  return {
    description: ['Failures that any such call may have:', '', ...lines].join('\n'),
    headers: refsTo(['X-Request-Id', 'Retry-After']),
    content: failureContent({ anyOf: [...schemaNames].map((name) => ({ $ref: SCHEMA_REF_PREFIX + name })) }),
    'x-failures': Object.fromEntries(failures.map(([status, { schema, keys = [] }]) => [status, { schema, keys }])),
  };
}

export function describeTokenError(): Json {
  const { reason, schema, keys = [] } = COMMON_FAILURES[401] as CommonFailure;
  return {
    ...describeFailure(`${reason}: ${formatKeys(keys)}`, schema),
    headers: refsTo(['X-Request-Id']),
    'x-error-keys': keys,
  };
}

/** Describes the failures of the call, apart from the common failures. */
export function describeFailures(route: Route, schemas: Json): Json {
  const byStatus: Record<number, Json> = {};
  if (route.media)
    byStatus[406] = describeFailure(`The Accept header rules out ${route.media.join(' and ')}`, 'DetailError');
  if (route.method !== 'get')
    byStatus[412] = describeFailure('`If-Match` does not list the tag of the record; nothing was done', 'DetailError');
  else if (route.media === undefined && !route.isStreamed)
    byStatus[304] = { description: '`If-None-Match` lists the tag: the client has this answer; no body' };
  if (route.path.includes(':id') && !route.emptyWhenMissing)
    byStatus[404] = { description: 'No such record in the app; empty body', content: PROBLEM_CONTENT };
  if (route.missingKey)
    byStatus[404] = describeFailure(`No such record in the app: \`${route.missingKey}\``, 'RuleError');
  for (const [status, keys] of groupKeysByStatus(route)) byStatus[status] = describeFailureWithKeys(status, keys);
  if (route.body || hasRuleRefusals(route)) byStatus[422] = describeFailure(describeRefusals(route), 'RuleError');
  for (const [status, shape] of Object.entries(route.failures ?? {})) {
    const { reason = '', schema: name = 'RuleError' } = COMMON_FAILURES[Number(status)] ?? {};
    const defaultFailure = (byStatus[Number(status)] ?? describeFailure(reason, name)) as FailureResponse;
    byStatus[Number(status)] = {
      ...defaultFailure,
      content: failureContent({ anyOf: [extractNamedShapes(shape, schemas), schemaOf(defaultFailure)] }),
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
  /** Schemas of the status, in addition to `RuleError`. */
  readonly errorNames: readonly string[];
}

const MISSING_WITH_KEY: FailureWithKeys = { reason: 'No such record in the app', errorNames: [] };
const FAILURES_WITH_KEYS: Readonly<Record<number, FailureWithKeys>> = {
  400: { reason: 'The request cannot be read', errorNames: ['DetailError'] },
  403: { reason: `The token lacks the scope (\`${SCOPE_MISSING}\`), or a rule refused`, errorNames: ['TokenError'] },
};

function describeFailureWithKeys(status: number, keys: readonly string[]): Json {
  const { reason, errorNames } = FAILURES_WITH_KEYS[status] ?? MISSING_WITH_KEY;
  const description = `${reason}: ${formatKeys(keys)}`;
  if (errorNames.length === 0) return describeFailure(description, 'RuleError');
  const schema = { anyOf: [...errorNames, 'RuleError'].map((name) => ({ $ref: SCHEMA_REF_PREFIX + name })) };
  return { description, content: failureContent(schema) };
}

interface FailureResponse extends Json {
  readonly content: Readonly<Record<'application/json', { readonly schema: unknown }>>;
}

function schemaOf({ content }: FailureResponse): unknown {
  return content['application/json'].schema;
}

function hasRuleRefusals({ refusals = [] }: Route): boolean {
  return refusals.some((key) => statusOf(key) === 422);
}

function describeRefusals(route: Route): string {
  const ruleKeys = (route.refusals ?? []).filter((key) => statusOf(key) === 422);
  const validationText = 'A field failed validation';
  return ruleKeys.length === 0 ? validationText : `${validationText}, or a rule refused: ${formatKeys(ruleKeys)}`;
}

function formatKeys(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(', ');
}

function describeFailure(description: string, error: string): Json {
  return { description, content: failureContent({ $ref: SCHEMA_REF_PREFIX + error }) };
}

/** A client that accepts problem documents gets one instead of the usual error body. */
const PROBLEM_CONTENT: Json = { [PROBLEM_TYPE]: { schema: { $ref: `${SCHEMA_REF_PREFIX}Problem` } } };

function failureContent(schema: unknown): Json {
  return { 'application/json': { schema }, ...PROBLEM_CONTENT };
}

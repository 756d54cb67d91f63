import { parseBoolean, parseInteger, parseRecordId, isRefusal } from '@back-office/kernel';
import type { KeyedCalls, TokenHolder } from '@back-office/apps';
import { isDatabaseUnavailable, type Calls } from '@back-office/database';
import type { Request, Response } from 'express';
import type { Answer } from './answer.js';
import { acceptsIdempotencyKey } from './error-keys.js';
import * as errors from './errors.js';
import { canSelectFields, selectFields } from './fields.js';
import { answerOnce, fingerprintOf, parseIdempotencyKey } from './idempotency.js';
import { isUnreadable, rawBodyOf } from './json-body.js';
import { fingerprintForm, formOf } from './multipart.js';
import { withListHeaders } from './list-headers.js';
import type { Preconditions } from './preconditions.js';
import { asProblemDocument } from './problem-document.js';
import { assertStorableQuery } from './query-text.js';
import { readBody } from './request-body.js';
import type { Call, QueryParameter, Route } from './route.js';
import { isStrict, refuseIgnored } from './strict.js';
import { wrongTypesAnswer } from './wrong-types.js';

interface CallParts {
  readonly keyedCalls: KeyedCalls;
  readonly calls: Pick<Calls, 'track'>;
}

export async function answerCall(
  route: Route,
  request: Request,
  response: Response,
  { keyedCalls, calls }: CallParts,
  preconditions: Preconditions,
): Promise<Answer> {
  const holder = response.locals['holder'] as TokenHolder;
  const { app, tokenId } = holder;
  const key = acceptsIdempotencyKey(route) && !isDryRun(route, request) ? parseIdempotencyKey(request) : undefined;
  const work = (): Promise<Answer> => calls.track(() => handle(route, request, holder, preconditions), isUnavailable);
  if (key === undefined) return work();
  const body = route.upload ? fingerprintForm(request) : rawBodyOf(request);
  const fingerprint = fingerprintOf(request.method, request.originalUrl, body);
  const format = (answer: Answer): Answer => asProblemDocument(answer, response);
  return answerOnce(keyedCalls, { appId: app.id, tokenId, key, fingerprint }, { speech: app, format }, work);
}

async function handle(
  route: Route,
  request: Request,
  holder: TokenHolder,
  preconditions: Preconditions,
): Promise<Answer> {
  const { app, tokenId, scopes, upload, customerId } = holder;
  if (isUnreadable(request)) throw errors.badRequest('Request.InvalidJson');
  const query = request.query as Record<string, unknown>;
  if (!route.ignoresInvalidFilters) assertStorableQuery(query);
  const { body, errors: fieldErrors, wrongTypes } = readBody(route, request);
  if (wrongTypes) return wrongTypesAnswer(wrongTypes, app);
  const ids: Record<string, number> = {};
  for (const name of Object.keys(request.params)) ids[name] = parseRecordId(request.params[name]) ?? 0;
  const missingAnswer = errors.missingRecordAnswer(route.missingKey, app);
  if (!route.emptyWhenMissing && Object.values(ids).includes(0)) return missingAnswer;
  const missingParameter = findMissingParameter(route, query);
  if (missingParameter !== undefined) throw errors.invalidParameter(missingParameter);
  const id = ids['id'] ?? 0;
  const invalidAnswer =
    (isStrict(request) ? refuseIgnored(route, request, app) : undefined) ??
    (fieldErrors && errors.fieldErrorsAnswer(fieldErrors, app));
  if (invalidAnswer) {
    const precheckResult = (await route.precheck?.(app, id, ids)) ?? true;
    if (isRefusal(precheckResult)) return errors.toAnswer(precheckResult, app);
    return precheckResult ? invalidAnswer : missingAnswer;
  }
  const { file } = route.upload ? formOf(request) : { file: undefined };
  const call = { app, tokenId, scopes, upload, customerId: customerId ?? 0, id, ids, query, body, file, request };
  const answer = errors.toAnswer((await preconditions.run(route, call)) ?? missingAnswer, app);
  const taggedAnswer = await preconditions.tag(route, answer, request);
  return withListHeaders(route, request, canSelectFields(route) ? selectFields(taggedAnswer, query) : taggedAnswer);
}

/** A repeated dry run writes nothing either, so an idempotency key is ignored. */
function isDryRun({ query = {} }: Route, request: Request): boolean {
  return 'dry_run' in query && parseBoolean(request.query['dry_run']) === true;
}

function findMissingParameter({ query: parameters = {} }: Route, query: Call['query']): string | undefined {
  const isMissing = ([name, { required, schema }]: [string, QueryParameter]): boolean => {
    if (!required) return false;
    return schema['type'] === 'integer' ? parseInteger(query[name]) === undefined : (query[name] ?? '') === '';
  };
  return Object.entries(parameters).find(isMissing)?.[0];
}

export function isUnavailable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || error instanceof errors.Unavailable;
}

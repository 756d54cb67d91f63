import { isRefusal, type Refusal, type RejectionReason } from '@back-office/kernel';
import { STATUS_CODES } from 'node:http';
import type { Answer } from './answer.js';
import { rowProblem, type FieldOf, type SentRows } from './failed-rows.js';
import { fieldProblem, refusalProblem, requestProblem, type Problem, type RequestProblemKey } from './problems.js';
import type { Scope, Speech } from '@back-office/apps';

/** Thrown to answer a call with this status. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly problems?: readonly Problem[],
  ) {
    super(STATUS_CODES[status]);
  }
}

export function badRequest(key: RequestProblemKey, place?: Parameters<typeof requestProblem>[1]): HttpProblem {
  return new HttpProblem(400, {}, [requestProblem(key, place)]);
}

export function invalidParameter(name: string): HttpProblem {
  return badRequest('Request.InvalidParameter', { details: { parameter: name } });
}

/** Name of a limit in metrics and in the log. */
export type LimitName =
  | 'app_large_calls'
  | 'huge_calls'
  | 'app_bytes'
  | 'app_calls'
  | 'app_webhook_tests'
  | 'address_look_ups'
  | 'token_rate'
  | 'address_rate';

/** Thrown when a caller exceeds a limit, while other callers are still served. */
export class LimitExceeded extends HttpProblem {
  constructor(
    status: number,
    readonly limit: LimitName,
    headers: Readonly<Record<string, string>>,
  ) {
    super(status, headers);
  }
}

/** Thrown when one app has too many calls in progress, or one address too many look-ups. */
export class Busy extends LimitExceeded {
  constructor(limit: LimitName) {
    super(503, limit, { 'Retry-After': '1' });
  }
}

/** Thrown when a caller exceeds its rate limit. The headers include `Retry-After`. */
export class TooManyCalls extends LimitExceeded {
  constructor(limit: LimitName, headers: Readonly<Record<string, string>>) {
    super(429, limit, headers);
  }
}

/** Thrown when a dependency is unreachable and the call has written nothing. */
export class Unavailable extends Error {}

const DETAIL_BY_STATUS: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' };

export function problemAnswer({ status, headers, problems }: HttpProblem): Answer {
  const detail = DETAIL_BY_STATUS[status] ?? STATUS_CODES[status] ?? 'Error';
  return { status, body: { errors: { detail } }, headers, ...(problems && { problems }) };
}

export const UNKNOWN_PATH_ANSWER: Answer = { status: 404, body: [] };
export const MISSING_RECORD_ANSWER: Answer = { status: 404 };

export const TOKEN_FAILURES = [
  'API.Tokens.Missing',
  'API.Tokens.Invalid',
  'API.Tokens.Expired',
  'API.Tokens.Revoked',
] as const;
export type TokenFailure = (typeof TOKEN_FAILURES)[number];

/** Message key for a valid token that lacks the scope of the call. */
export const SCOPE_MISSING = 'API.Tokens.ScopeMissing';

/** Details of a rejected token, for the log. */
export interface RejectedToken {
  readonly tokenId?: number | undefined;
  readonly appId?: number | undefined;
  /** First characters of the hash, in hexadecimal. */
  readonly hashPrefix?: string | undefined;
}

interface Unauthorized {
  readonly failure: TokenFailure;
  readonly token?: RejectedToken;
  readonly speech: Speech;
}

interface Forbidden {
  readonly token: RejectedToken;
  readonly missingScope: Scope;
  readonly speech: Speech;
}

export type Rejection = Unauthorized | Forbidden;

export function tokenErrorAnswer(rejection: Rejection): Answer {
  return 'failure' in rejection ? unauthorizedAnswer(rejection) : forbiddenAnswer(rejection);
}

function forbiddenAnswer({ missingScope, speech }: Forbidden): Answer {
  return scopeMissingAnswer(missingScope, speech);
}

export function scopeMissingAnswer(missingScope: Scope, speech: Speech): Answer {
  const message = speech.say(SCOPE_MISSING);
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missingScope}"` };
  const problems = [{ key: SCOPE_MISSING, message, details: { scope: missingScope } }];
  return { status: 403, body: { errors: { token: message } }, headers, problems };
}

export function unauthorizedAnswer({ failure, speech }: Unauthorized): Answer {
  const message = speech.say(failure);
  const body = { errors: { token: message } };
  return { status: 401, body, headers: { 'WWW-Authenticate': 'Bearer' }, problems: [{ key: failure, message }] };
}

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export function fieldErrorsAnswer(errors: FieldErrors, speech: Speech): Answer {
  const translations = Object.entries(errors).map(([field, messages]) => [
    field,
    messages.map((message) => speech.say(message)),
  ]);
  return {
    status: 422,
    body: { errors: Object.fromEntries(translations) as FieldErrors },
    problems: Object.entries(errors).flatMap(([field, messages]) =>
      messages.map((message) => fieldProblem(field, message, speech)),
    ),
  };
}

/** Statuses that the published interface defines. Refusals with any other message key get 422. */
const STATUS_BY_KEY: Readonly<Record<string, number>> = {
  'API.Tokens.ScopeNotHeld': 403,
  'API.Tokens.UploadNotGranted': 403,
  'API.CdnFiles.FileNotFound': 404,
  'API.CdnFiles.NoVersionToRevert': 404,
  'API.CdnFiles.VersionNotFound': 404,
  'API.CdnFolders.FolderNotFound': 404,
  'API.CdnFiles.FileRequired': 400,
  'API.CdnFiles.UnknownCacheStrategy': 400,
  'API.CdnFiles.PurgeNotConfigured': 400,
  'API.CdnFiles.FileInTrash': 400,
  'API.CdnFiles.FileNotInTrash': 400,
  'API.CdnFiles.FileReferenced': 400,
  'Stocks.InvalidWarehouseId': 400,
  'Stocks.InvalidProductId': 400,
  'Stocks.InvalidProductVariantId': 400,
  'Stocks.InvalidLanguageId': 400,
};

export function statusOf(key: string): number {
  return STATUS_BY_KEY[key] ?? 422;
}

/** The published interface answers refusals of imported orders as `{error}`, without the name of an area. */
const AREA_WITHOUT_NAME = 'Order';

export function refusalAnswer(refusal: Refusal, speech: Speech): Answer {
  const key = refusal.refused;
  const problems = [refusalProblem(refusal, speech)];
  if (areaOf(key) === AREA_WITHOUT_NAME) return { status: 422, body: { error: speech.say(key) }, problems };
  const name = refusal.field ?? areaOf(key);
  const { values } = refusal;
  const errors = { [name]: [speech.say(key)], ...(values && { fields: values }) };
  return { status: statusOf(key), body: { errors }, problems };
}

/** Groups the errors of the body under `area`, by default under the area of each key. */
export function rejectionAnswer(
  failures: readonly RejectionReason[],
  sentRows: SentRows,
  speech: Speech,
  { area, fieldOf }: { readonly area?: string; readonly fieldOf?: FieldOf } = {},
): Answer {
  const errors: Record<string, string[]> = {};
  for (const { key } of failures) (errors[area ?? areaOf(key)] ??= []).push(speech.say(key));
  const problems = failures.map((failure) => rowProblem(failure, sentRows, speech, fieldOf));
  return { status: 422, body: { errors }, problems };
}

/**
 * Returns `Warehouses` for `API.Warehouses.NotFound`, `Stocks` for `Stocks.InvalidWarehouseId`, and `message` for plain
 * text.
 */
export function areaOf(message: string): string {
  const [, area] = /^(?:API\.)?([A-Z]\w*)(?:\.\w+)+$/.exec(message) ?? [];
  return area ?? 'message';
}

export function internalErrorAnswer(): Answer {
  return { status: 500, body: { message: 'Internal server error' } };
}

export function missingRecordAnswer(key: string | undefined, speech: Speech): Answer {
  return key === undefined ? MISSING_RECORD_ANSWER : { ...refusalAnswer({ refused: key }, speech), status: 404 };
}

export function toAnswer(result: Answer | Refusal, speech: Speech): Answer {
  return isRefusal(result) ? refusalAnswer(result, speech) : result;
}

import { isRefusal, type Refusal } from '@back-office/kernel';
import { STATUS_CODES } from 'node:http';
import type { Answer } from './answer.js';
import type { Speech } from '@back-office/apps';

/** A problem of the request itself, found before any record is read: 400, 404, 406, 413, 429, 503 … */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(STATUS_CODES[status]);
  }
}

/** A dependency is unreachable; nothing was written. */
export class Unavailable extends Error {}

const DETAILS: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' };

export function problemAnswer({ status, headers }: HttpProblem): Answer {
  const detail = DETAILS[status] ?? STATUS_CODES[status] ?? 'Error';
  return { status, body: { errors: { detail } }, headers };
}

export const UNKNOWN_PATH: Answer = { status: 404, body: [] };
export const MISSING_RECORD: Answer = { status: 404 };

export const TOKEN_FAILURES = [
  'API.Tokens.Missing',
  'API.Tokens.Invalid',
  'API.Tokens.Expired',
  'API.Tokens.Revoked',
] as const;
export type TokenFailure = (typeof TOKEN_FAILURES)[number];

/** Why a token is rejected, in the language of its holder. */
export interface Rejection {
  readonly failure: TokenFailure;
  readonly speech: Speech;
}

export function unauthorized({ failure, speech }: Rejection): Answer {
  const body = { errors: { token: speech.say(failure) } };
  return { status: 401, body, headers: { 'WWW-Authenticate': 'Bearer' }, keys: [failure] };
}

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export function fieldErrorsAnswer(errors: FieldErrors, speech: Speech): Answer {
  const said = Object.entries(errors).map(([field, messages]) => [field, messages.map((each) => speech.say(each))]);
  return { status: 422, body: { errors: Object.fromEntries(said) as FieldErrors }, keys: Object.values(errors).flat() };
}

/** Statuses of refusals that the interface names; all others are 422. */
const STATUS_BY_KEY: Readonly<Record<string, number>> = {
  'API.CdnFiles.FileNotFound': 404,
  'API.CdnFiles.NoVersionToRevert': 404,
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

/** Refusals of imported orders are not wrapped in their area. */
const BARE_AREA = 'Order';

/** Maps a refusal to status and body. */
export function refusalAnswer(refusal: Refusal, speech: Speech): Answer {
  const key = refusal.refused;
  if (areaOf(key) === BARE_AREA) return { status: 422, body: { error: speech.say(key) }, keys: [key] };
  const name = refusal.field ?? areaOf(key);
  const { values } = refusal;
  const errors = { [name]: [speech.say(key)], ...(values && { fields: values }) };
  return { status: statusOf(key), body: { errors }, keys: [key] };
}

/** Answers several message keys, each under its area. */
export function keysAnswer(keys: readonly string[], speech: Speech, status = 422): Answer {
  const errors: Record<string, string[]> = {};
  for (const key of keys) (errors[areaOf(key)] ??= []).push(speech.say(key));
  return { status, body: { errors }, keys };
}

/** `API.Warehouses.NotFound` → `Warehouses`, `Stocks.InvalidWarehouseId` → `Stocks`, plain text → `message`. */
export function areaOf(message: string): string {
  const [, area] = /^(?:API\.)?([A-Z]\w*)(?:\.\w+)+$/.exec(message) ?? [];
  return area ?? 'message';
}

export function failureAnswer(): Answer {
  return { status: 500, body: { message: 'Internal server error' } };
}

/** 404 for a missing record, with its message key where the route has one. */
export function missingAnswer(key: string | undefined, speech: Speech): Answer {
  return key === undefined ? MISSING_RECORD : { ...refusalAnswer({ refused: key }, speech), status: 404 };
}

export function outcomeAnswer(outcome: Answer | Refusal, speech: Speech): Answer {
  return isRefusal(outcome) ? refusalAnswer(outcome, speech) : outcome;
}

import type { Request } from 'express';

/** JSON without a charset and with one, as clients may send it in `Accept`. */
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

/** A longer header is not accepted, because parsing it would take too long. */
const MAX_ACCEPT_LENGTH = 4_096;

export function acceptsOneOf(request: Request, types: readonly string[] = JSON_TYPES): boolean {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return true;
  return accept.length <= MAX_ACCEPT_LENGTH && request.accepts([...types]) !== false;
}

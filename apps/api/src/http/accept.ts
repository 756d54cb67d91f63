import type { Request } from 'express';

/** Clients ask for JSON with or without a charset. */
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

/** Parsing takes longer for a longer header. */
const MAX_ACCEPT_LENGTH = 4_096;

export function isAccepted(request: Request, types: readonly string[] = JSON_TYPES): boolean {
  return (request.headers.accept?.length ?? 0) <= MAX_ACCEPT_LENGTH && request.accepts([...types]) !== false;
}

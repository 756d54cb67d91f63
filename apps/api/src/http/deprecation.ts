import type { RequestHandler } from 'express';

/** Announcement that a call will end. */
export interface Deprecation {
  /** Day from which new clients should not use the call, as `YYYY-MM-DD`. */
  readonly since: string;
  /** Day on which the call ends, at least twelve months after `since`. */
  readonly until: string;
  /** The call to use instead. */
  readonly instead: string;
}

const GUIDE = '/docs/guides/versioning';

/** Sends the headers of RFC 9745 and RFC 8594 with every answer of the call. */
export function announceDeprecation({ since, until }: Deprecation): RequestHandler {
  const headers = new Map([
    ['Deprecation', `@${Date.parse(since) / 1_000}`],
    ['Sunset', new Date(until).toUTCString()],
    ['Link', `<${GUIDE}>; rel="deprecation"; type="text/html"`],
  ]);
  return (_request, response, next) => {
    response.setHeaders(headers);
    next();
  };
}

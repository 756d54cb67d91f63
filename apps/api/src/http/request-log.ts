import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AppContext } from './app-context.js';
import { isAnsweredEarly } from './early-answer.js';

export interface Finished {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern, never the path as sent: it may hold a secret, and it would explode the metrics. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly appId: number | undefined;
  /** The message keys and texts of a refusal, with record names removed. */
  readonly keys: readonly string[] | undefined;
}

/** Who is told about requests: logs and metrics. */
export interface Observer {
  finished(request: Finished): void;
  failed(error: unknown, request: IncomingMessage): void;
}

/** What proxies log for a client that did not wait for its answer; it is never sent. */
const HUNG_UP = 499;

const SANE_ID = /^[\w.:-]{1,128}$/;

/** A bulk call may be refused for 10,000 rows. */
const MAX_KEYS = 10;

function shortened(keys: readonly string[] | undefined): readonly string[] | undefined {
  // Behind the colon of a text stands the name of a record.
  return keys && [...new Set(keys.map((key) => key.replace(/: .*/s, '')))].slice(0, MAX_KEYS);
}

/** Counts as the route of a request outside the table of routes. */
export function labelled(label: string): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = label;
    next();
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Gives every response its `X-Request-Id` (the caller's, if sane) and reports it when it has been sent. */
export function requestLog(observer: Observer): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const sent = request.headers['x-request-id'];
    const requestId = typeof sent === 'string' && SANE_ID.test(sent) ? sent : randomUUID();
    request.headers['x-request-id'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    // Not 'finish': a client that hangs up before its answer is a request too.
    response.on('close', () =>
      observer.finished({
        requestId,
        method: request.method,
        route: (response.locals['route'] as string | undefined) ?? (isPreflight(request) ? 'preflight' : 'unknown'),
        status: response.writableFinished || isAnsweredEarly(response) ? response.statusCode : HUNG_UP,
        milliseconds: performance.now() - started,
        appId: (response.locals['app'] as AppContext | undefined)?.id,
        keys: shortened(response.locals['keys'] as readonly string[] | undefined),
      }),
    );
    next();
  };
}

import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AppContext } from '@back-office/apps';
import { isAnsweredEarly } from './early-answer.js';

export interface Finished {
  readonly requestId: string;
  readonly method: string;
  /** Pattern of the route. The path itself may hold secrets and would multiply metrics. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly appId: number | undefined;
  /** The message keys and texts of a refusal, with record names removed. */
  readonly keys: readonly string[] | undefined;
}

/** Receives every request: logs and metrics. */
export interface Observer {
  finished(request: Finished): void;
  failed(error: unknown, request: IncomingMessage): void;
}

/** Logged, never sent: the client closed the connection before its answer. */
const CLIENT_CLOSED_REQUEST = 499;

const VALID_ID = /^[\w.:-]{1,128}$/;

/** A bulk call may be refused for 10,000 rows. */
const MAX_KEYS = 10;

function shortened(keys: readonly string[] | undefined): readonly string[] | undefined {
  // The text after a colon names a record.
  return keys && [...new Set(keys.map((key) => key.replace(/: .*/s, '')))].slice(0, MAX_KEYS);
}

/** Sets the logged route of a request outside the route table. */
export function labelled(label: string): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = label;
    next();
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Sets `X-Request-Id` (the caller's, if valid) and reports each request when its response closes. */
export function requestLog(observer: Observer): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const sent = request.headers['x-request-id'];
    const requestId = typeof sent === 'string' && VALID_ID.test(sent) ? sent : randomUUID();
    request.headers['x-request-id'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    // Not 'finish', which is missing when the client closes the connection early.
    response.on('close', () =>
      observer.finished({
        requestId,
        method: request.method,
        route: (response.locals['route'] as string | undefined) ?? (isPreflight(request) ? 'preflight' : 'unknown'),
        status: response.writableFinished || isAnsweredEarly(response) ? response.statusCode : CLIENT_CLOSED_REQUEST,
        milliseconds: performance.now() - started,
        appId: (response.locals['app'] as AppContext | undefined)?.id,
        keys: shortened(response.locals['keys'] as readonly string[] | undefined),
      }),
    );
    next();
  };
}

import type { Request, RequestHandler, Response } from 'express';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AppContext } from '@back-office/apps';
import { isAnsweredEarly } from './early-answer.js';
import type { LimitName, Rejection } from './errors.js';

export interface FinishedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Path pattern of the route. The actual path may contain secrets and would create too many metrics. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly appId: number | undefined;
  readonly keys: readonly string[] | undefined;
}

export interface LimitedCaller {
  readonly appId: number | undefined;
  readonly tokenId: number | undefined;
  readonly address: string;
}

export interface Observer {
  onFinished(request: FinishedRequest): void;
  onFailed(error: unknown, request: IncomingMessage): void;
  onRejected(rejection: Rejection, address: string): void;
  onLimit(limit: LimitName, caller: LimitedCaller): void;
}

/** Head of a request. Express derives the host name and the protocol from the headers of trusted proxies. */
export interface IncomingCall {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly originalUrl: string;
  readonly hostname: string | undefined;
  readonly protocol: string;
}

/** Span of one call in a trace. */
export interface CallSpan {
  /** Runs work whose statements, requests and log lines belong to the call. */
  run<Result>(work: () => Result): Result;
  end(request: FinishedRequest): void;
}

export interface CallTracer {
  startCall(call: IncomingCall): CallSpan;
}

/** Status for the log only: the client closed the connection before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

const VALID_ID = /^[\w.:-]{1,128}$/;

const MAX_KEYS = 10;

function shortenKeys(keys: readonly string[] | undefined): readonly string[] | undefined {
  // The text after the colon names a record, which must not appear in the log.
  return keys && [...new Set(keys.map((key) => key.replace(/: .*/s, '')))].slice(0, MAX_KEYS);
}

export function labelRoute(label: string): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = label;
    next();
  };
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Labels of requests that match no route. */
const NO_ROUTE = { preflight: 'preflight', unknown: 'unknown' };
export const ROUTE_LABELS: ReadonlySet<string> = new Set(Object.values(NO_ROUTE));

const CALL_SPAN = 'callSpan';

/**
 * Runs the next handlers in the span of the call. Handlers that start calls in turn need this again after themselves,
 * because they run the next handlers from the context of another call.
 */
export const resumeSpan: RequestHandler = (_request, response, next) => {
  const span = response.locals[CALL_SPAN] as CallSpan | undefined;
  if (span) span.run(next);
  else next();
};

/** Reuses a valid `X-Request-Id` of the caller or creates one. Reports each request when its response closes. */
export function logRequests(observer: Observer, tracer?: CallTracer): RequestHandler {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    const clientId = request.headers['x-request-id'];
    const requestId = typeof clientId === 'string' && VALID_ID.test(clientId) ? clientId : randomUUID();
    request.headers['x-request-id'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    const span = tracer?.startCall(request);
    if (span) response.locals[CALL_SPAN] = span;
    // Node always emits `close`, but not `finish` when the client closes the connection early.
    response.on('close', () => {
      const finished = finishedRequestOf(request, response, { requestId, startedAtMs });
      if (span === undefined) return observer.onFinished(finished);
      span.run(() => observer.onFinished(finished));
      return span.end(finished);
    });
    next();
  };
}

function finishedRequestOf(
  request: Request,
  response: Response,
  { requestId, startedAtMs }: { readonly requestId: string; readonly startedAtMs: number },
): FinishedRequest {
  const noRoute = isPreflight(request) ? NO_ROUTE.preflight : NO_ROUTE.unknown;
  return {
    requestId,
    method: request.method,
    route: (response.locals['route'] as string | undefined) ?? noRoute,
    status: response.writableFinished || isAnsweredEarly(response) ? response.statusCode : CLIENT_CLOSED_REQUEST,
    milliseconds: performance.now() - startedAtMs,
    appId: (response.locals['app'] as AppContext | undefined)?.id,
    keys: shortenKeys(response.locals['keys'] as readonly string[] | undefined),
  };
}

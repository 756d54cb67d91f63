import type { Request, RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { TokenHolder } from '@back-office/apps';
import { isAnsweredEarly } from './early-answer.js';
import type { LimitName, Rejection } from './errors.js';

export interface FinishedRequest {
  readonly requestId: string;
  readonly serviceRequestId: string;
  readonly method: string;
  /** Path pattern of the route. The actual path may contain secrets and would create too many metrics. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly appId: number | undefined;
  readonly tokenId: number | undefined;
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

const SERVICE_REQUEST_IDS = new WeakMap<IncomingMessage, string>();

/** Returns the id that the service has given to the request, which no caller can choose. */
export function serviceRequestIdOf(request: IncomingMessage): string {
  return SERVICE_REQUEST_IDS.get(request) as string;
}

/** Reuses a valid `X-Request-Id` of the caller or creates one. Reports each request when its response closes. */
export function logRequests(observer: Observer): RequestHandler {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    const clientId = request.headers['x-request-id'];
    const serviceRequestId = randomUUID();
    SERVICE_REQUEST_IDS.set(request, serviceRequestId);
    const requestId = typeof clientId === 'string' && VALID_ID.test(clientId) ? clientId : serviceRequestId;
    request.headers['x-request-id'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    // Node always emits `close`, but not `finish` when the client closes the connection early.
    response.on('close', () => observer.onFinished(finishedRequestOf(request, response, { requestId, startedAtMs })));
    next();
  };
}

function finishedRequestOf(
  request: Request,
  response: Response,
  { requestId, startedAtMs }: { readonly requestId: string; readonly startedAtMs: number },
): FinishedRequest {
  const { app, tokenId } = (response.locals['holder'] as TokenHolder | undefined) ?? {};
  const noRoute = isPreflight(request) ? NO_ROUTE.preflight : NO_ROUTE.unknown;
  return {
    requestId,
    serviceRequestId: serviceRequestIdOf(request),
    method: request.method,
    route: (response.locals['route'] as string | undefined) ?? noRoute,
    status: response.writableFinished || isAnsweredEarly(response) ? response.statusCode : CLIENT_CLOSED_REQUEST,
    milliseconds: performance.now() - startedAtMs,
    appId: app?.id,
    tokenId,
    keys: shortenKeys(response.locals['keys'] as readonly string[] | undefined),
  };
}

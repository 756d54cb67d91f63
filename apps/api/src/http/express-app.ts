import cors from 'cors';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@back-office/kernel';
import { isRefusal, parseRecordId, parseInteger } from '@back-office/kernel';
import { isAccepted } from './accept.js';
import { authenticate } from './authentication.js';
import type { Answer } from './answer.js';
import { createDispatcher } from './dispatcher.js';
import { answerEarly, TOO_LARGE, tooLarge, limitBytes } from './early-answer.js';
import * as errors from './errors.js';
import type { AccessTokenQueries, KeyedCalls, TokenHolder } from '@back-office/apps';
import { isDatabaseUnavailable, type Calls } from '@back-office/database';
import { answerOnce, fingerprintOf, parseIdempotencyKey } from './idempotency.js';
import { isReadableJson } from './json-text.js';
import { discardForm, receiveForm, fingerprintForm, formOf, type Uploads } from './multipart.js';
import { assertStorableQuery, parseQuery } from './query-text.js';
import { limitRate, type RateLimit } from './rate-limit.js';
import { maxBodyBytes, type Caller, type Route } from './route.js';
import { validateBody, type ValidatedBody } from './validate-body.js';
import { wrongTypesAnswer } from './wrong-types.js';
import { logRequests, type Observer } from './request-log.js';

import { BASE_PATH } from './base-path.js';

export interface Edge {
  readonly routes: readonly Route[];
  readonly tokens: AccessTokenQueries;
  readonly keyedCalls: KeyedCalls;
  readonly calls: Pick<Calls, 'track'>;
  readonly clock: Clock;
  readonly jsonLimit: number;
  /** Timeout of a JSON body in ms; uploads have the longer timeout of the request. */
  readonly jsonBodyMs: number;
  readonly uploads: Uploads;
  readonly corsOrigins: readonly string[];
  /** `undefined` means unlimited. */
  readonly rateLimit: RateLimit | undefined;
  readonly observer: Observer;
  /** Returns true when the queue for the database is so long that another call would time out. */
  readonly isBusy: () => boolean;
  readonly mountOutsideBasePath: (app: Express) => void;
}

export function createExpressApp(edge: Edge): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', parseQuery);
  app.use(logRequests(edge.observer));
  edge.mountOutsideBasePath(app);
  app.use(BASE_PATH, helmet({ contentSecurityPolicy: false, crossOriginResourcePolicy: { policy: 'cross-origin' } }));
  if (edge.corsOrigins.length > 0) {
    app.use(BASE_PATH, cors({ origin: [...edge.corsOrigins], exposedHeaders: EXPOSED_HEADERS }));
  }
  const rateLimiter = limitRate(edge.rateLimit);
  app.use(createDispatcher(edge.routes, (router, route) => mount(router, route, edge, rateLimiter)));
  app.use((_request, response) => send(response, errors.UNKNOWN_PATH));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    send(response, answerOf(error, request, edge.observer)),
  );
  return app;
}

const EXPOSED_HEADERS = ['Idempotency-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'];

/** The interface prescribes the order of these checks. */
function mount(router: Router, route: Route, edge: Edge, rateLimiter: express.RequestHandler): void {
  router[route.method](
    BASE_PATH + route.path,
    (request, response, next) => {
      response.locals['route'] = route.path;
      if (!isAccepted(request, route.media)) return next(new errors.HttpProblem(406));
      return next(edge.isBusy() ? new errors.HttpProblem(503, { 'Retry-After': '1' }) : undefined);
    },
    async (request, response, next) => {
      const holder = await authenticate(request, route.caller as Exclude<Caller, 'public'>, edge.tokens, edge.clock);
      if ('failure' in holder) return send(response, errors.unauthorizedAnswer(holder));
      response.locals['app'] = holder.app;
      response.locals['holder'] = holder;
      return next();
    },
    rateLimiter,
    ...bodyHandlersOf(route, edge),
    async (request, response) => {
      const holder = response.locals['holder'] as TokenHolder;
      try {
        const result = await answerCall(route, request, holder, edge);
        if (result.chunks) await sendChunks(response, result, result.chunks);
        else send(response, result);
      } finally {
        if (route.upload) await discardForm(request);
      }
    },
  );
}

function bodyHandlersOf(route: Route, { jsonLimit, jsonBodyMs, uploads }: Edge): express.RequestHandler[] {
  if (route.method === 'get') return [];
  return route.upload
    ? [receiveForm(uploads)]
    : [requireJson, limitBodyTime(jsonBodyMs), parseJsonBody(route, maxBodyBytes(route, jsonLimit))];
}

function limitBodyTime(milliseconds: number): express.RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (!request.complete && !response.headersSent)
        send(response, errors.problemAnswer(new errors.HttpProblem(408, { Connection: 'close' })));
    }, milliseconds);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

async function answerCall(route: Route, request: Request, holder: TokenHolder, edge: Edge): Promise<Answer> {
  const { app, tokenId } = holder;
  const key = route.method === 'get' || route.answersSecret ? undefined : parseIdempotencyKey(request);
  const work = (): Promise<Answer> => edge.calls.track(() => handle(route, request, holder), isUnavailable);
  if (key === undefined) return work();
  const body = route.upload ? fingerprintForm(request) : RAW_BODIES.get(request);
  const fingerprint = fingerprintOf(request.method, request.originalUrl, body);
  return answerOnce(edge.keyedCalls, { appId: app.id, tokenId, key, fingerprint }, app, work);
}

const RAW_BODIES = new WeakMap<IncomingMessage, Buffer>();

async function handle(route: Route, request: Request, { app, tokenId, customerId }: TokenHolder): Promise<Answer> {
  if (UNREADABLE_REQUESTS.has(request)) throw new errors.HttpProblem(400);
  const query = request.query as Record<string, unknown>;
  if (!route.ignoresInvalidFilters) assertStorableQuery(query);
  if (lacksRequiredParameter(route, query)) throw new errors.HttpProblem(400);
  const { body, errors: fieldErrors, wrongTypes } = readBody(route, request);
  if (wrongTypes) return wrongTypesAnswer(wrongTypes, app);
  const ids = Object.fromEntries(
    Object.entries(request.params).map(([name, text]) => [name, parseRecordId(text) ?? 0]),
  );
  const missingAnswer = errors.missingAnswer(route.missingKey, app);
  if (!route.emptyWhenMissing && Object.values(ids).includes(0)) return missingAnswer;
  const id = ids['id'] ?? 0;
  if (fieldErrors) {
    const precheckResult = (await route.precheck?.(app, id, ids)) ?? true;
    if (isRefusal(precheckResult)) return errors.toAnswer(precheckResult, app);
    return precheckResult ? errors.fieldErrorsAnswer(fieldErrors, app) : missingAnswer;
  }
  const { file } = route.upload ? formOf(request) : { file: undefined };
  const call = { app, tokenId, customerId: customerId ?? 0, id, ids, query, body, file, request };
  return errors.toAnswer((await route.handle(call)) ?? missingAnswer, app);
}

function lacksRequiredParameter({ query: parameters = {} }: Route, query: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(parameters).some(([name, { required, schema }]) => {
    if (!required) return false;
    return schema['type'] === 'integer' ? parseInteger(query[name]) === undefined : (query[name] ?? '') === '';
  });
}

function readBody(route: Route, request: Request): ValidatedBody<object> {
  if (route.body === undefined) return { body: {}, errors: undefined };
  if (route.upload) return validateBody(route.body, formOf(request).fields);
  const raw: unknown = request.body;
  return validateBody(route.body, raw === undefined && route.bodyOptional ? {} : raw, route.namesWrongTypes);
}

function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  next(!hasBody || request.is(['json', '+json']) ? undefined : new errors.HttpProblem(400));
}

/** A body must be valid JSON even when the call ignores it. */
function parseJsonBody({ body, bodyOptional = body === undefined }: Route, limit: number): express.RequestHandler {
  const checkReadable = (request: IncomingMessage, _response: unknown, bytes: Buffer, charset: string): void => {
    if (request.headers['idempotency-key'] !== undefined) RAW_BODIES.set(request, bytes);
    // The parser accepts every UTF encoding and reads an empty body as `{}`; the byte check knows only UTF-8.
    const isEmpty = bytes.length === 0 && !bodyOptional;
    if (charset !== 'utf-8' || isEmpty || !isReadableJson(bytes)) throw new errors.HttpProblem(400);
  };
  const json = express.json({ limit, strict: false, type: () => true, verify: checkReadable });
  const parse = limitBytes(limit, json);
  return (request, response, next) =>
    parse(request, response, (error?: unknown) => next(postponeUnreadable(error, request)));
}

/** An unreadable body is refused inside the keyed call, so that a repeat gets the same refusal. */
const UNREADABLE_REQUESTS = new WeakSet<IncomingMessage>();

function postponeUnreadable(error: unknown, request: IncomingMessage): unknown {
  const isUnreadable = (error as { status?: unknown } | undefined)?.status === 400 && RAW_BODIES.has(request);
  if (isUnreadable) UNREADABLE_REQUESTS.add(request);
  return isUnreadable ? undefined : error;
}

function isUnavailable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || error instanceof errors.Unavailable;
}

function answerOf(error: unknown, request: Request, observer: Observer): Answer {
  if (error instanceof errors.HttpProblem) return errors.problemAnswer(error);
  const status = (error as { status?: unknown }).status;
  if (status === TOO_LARGE) return errors.problemAnswer(tooLarge());
  // Any other error of Express or its body parser means an unreadable request.
  if (typeof status === 'number' && status >= 400 && status < 500)
    return errors.problemAnswer(new errors.HttpProblem(400));
  observer.onFailed(error, request);
  if (isUnavailable(error)) return errors.problemAnswer(new errors.HttpProblem(503, { 'Retry-After': '1' }));
  return errors.failureAnswer();
}

export function send(response: Response, answer: Answer): void {
  if (response.headersSent) return void response.destroy();
  const { body, text } = answer;
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  setHead(response, answer, payload !== undefined);
  if (payload === undefined) return void response.end();
  response.setHeader('Content-Length', Buffer.byteLength(payload));
  if (answer.status === TOO_LARGE && !response.req.complete) answerEarly(response, payload);
  else response.end(payload);
}

function setHead(response: Response, { status, headers, keys }: Answer, hasBody: boolean): void {
  response.locals['keys'] = keys;
  response.status(status).setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (!hasBody || response.hasHeader('Content-Type')) return;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** Respects backpressure. The connection is cut when a later chunk fails. */
async function sendChunks(response: Response, answer: Answer, chunks: AsyncIterable<string>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  // Until the first chunk is sent, a failure can still be answered.
  const firstChunk = await iterator.next();
  setHead(response, answer, true);
  try {
    await pipeline(chunksFrom(firstChunk, iterator), response);
  } catch (error) {
    // This code means that the client closed the connection.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* chunksFrom<Chunk>(
  firstChunk: IteratorResult<Chunk>,
  iterator: AsyncIterator<Chunk>,
): AsyncGenerator<Chunk> {
  for (let chunk = firstChunk; !chunk.done; chunk = await iterator.next()) yield chunk.value;
}

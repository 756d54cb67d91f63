import cors from 'cors';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@back-office/kernel';
import { isRefusal, parseRecordId, parseInteger } from '@back-office/kernel';
import { authenticate } from './authentication.js';
import type { Answer } from './answer.js';
import { dispatcher } from './dispatcher.js';
import { answerEarly, TOO_LARGE, tooLarge, withinBytes } from './early-answer.js';
import * as errors from './errors.js';
import type { AccessTokenQueries, KeyedCalls, TokenHolder } from '@back-office/apps';
import { isDatabaseUnavailable, type Calls } from '@back-office/database';
import { answeredOnce, fingerprintOf, idempotencyKey } from './idempotency.js';
import { isReadableJson } from './json-text.js';
import { discardForm, formBody, formFingerprint, formOf, type Uploads } from './multipart.js';
import { assertStorableQuery, parseQuery } from './query-text.js';
import { rateLimited, type RateLimit } from './rate-limit.js';
import type { Caller, Route } from './route.js';
import { validateBody, type Validated } from './validate-body.js';
import { wrongTypesAnswer } from './wrong-types.js';
import { requestLog, type Observer } from './request-log.js';

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
  /** `undefined`: unlimited. */
  readonly rateLimit: RateLimit | undefined;
  readonly observer: Observer;
  /** Whether the queue for the database is so long that another call would time out. */
  readonly isBusy: () => boolean;
  /** Mounts what is served outside the base path: health, metrics, reference. */
  readonly outside: (app: Express) => void;
}

export function expressApp(edge: Edge): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', parseQuery);
  app.use(requestLog(edge.observer));
  edge.outside(app);
  app.use(BASE_PATH, helmet({ contentSecurityPolicy: false, crossOriginResourcePolicy: { policy: 'cross-origin' } }));
  if (edge.corsOrigins.length > 0) {
    app.use(BASE_PATH, cors({ origin: [...edge.corsOrigins], exposedHeaders: READABLE_HEADERS }));
  }
  const counted = rateLimited(edge.rateLimit);
  app.use(dispatcher(edge.routes, (router, route) => mount(router, route, edge, counted)));
  app.use((_request, response) => send(response, errors.UNKNOWN_PATH));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    send(response, answerOf(error, request, edge.observer)),
  );
  return app;
}

/** Response headers exposed to pages of other origins. */
const READABLE_HEADERS = ['Idempotency-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'];

/** Both are matched against `Accept`, since clients ask for either. */
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8'];

/** Mounts a route as the chain of checks that every call passes, in the order of the interface. */
function mount(router: Router, route: Route, edge: Edge, counted: express.RequestHandler): void {
  router[route.method](
    BASE_PATH + route.path,
    (request, response, next) => {
      response.locals['route'] = route.path;
      if (!request.accepts([...(route.media ?? JSON_TYPES)])) return next(new errors.HttpProblem(406));
      return next(edge.isBusy() ? new errors.HttpProblem(503, { 'Retry-After': '1' }) : undefined);
    },
    async (request, response, next) => {
      const holder = await authenticate(request, route.caller as Exclude<Caller, 'public'>, edge.tokens, edge.clock);
      if ('failure' in holder) return send(response, errors.unauthorized(holder));
      response.locals['app'] = holder.app;
      response.locals['holder'] = holder;
      return next();
    },
    counted,
    ...bodyOf(route, edge),
    async (request, response) => {
      const holder = response.locals['holder'] as TokenHolder;
      try {
        const given = await answer(route, request, holder, edge);
        if (given.chunks) await sendChunks(response, given, given.chunks);
        else send(response, given);
      } finally {
        if (route.upload) await discardForm(request);
      }
    },
  );
}

function bodyOf(route: Route, { jsonLimit, jsonBodyMs, uploads }: Edge): express.RequestHandler[] {
  if (route.method === 'get') return [];
  return route.upload ? [formBody(uploads)] : [contentTypeIsJson, inTime(jsonBodyMs), jsonBody(route, jsonLimit)];
}

function inTime(milliseconds: number): express.RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (!request.complete && !response.headersSent)
        send(response, errors.problemAnswer(new errors.HttpProblem(408, { Connection: 'close' })));
    }, milliseconds);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

/** Runs the call; with an idempotency key, once. */
async function answer(route: Route, request: Request, holder: TokenHolder, edge: Edge): Promise<Answer> {
  const { app, tokenId } = holder;
  const key = route.method === 'get' || route.answersSecret ? undefined : idempotencyKey(request);
  const work = (): Promise<Answer> => edge.calls.track(() => handle(route, request, holder), isUnavailable);
  if (key === undefined) return work();
  const body = route.upload ? formFingerprint(request) : BODIES.get(request);
  const fingerprint = fingerprintOf(request.method, request.originalUrl, body);
  return answeredOnce(edge.keyedCalls, { appId: app.id, tokenId, key, fingerprint }, app, work);
}

/** Raw bodies of keyed calls. */
const BODIES = new WeakMap<IncomingMessage, Buffer>();

async function handle(route: Route, request: Request, { app, tokenId, customerId }: TokenHolder): Promise<Answer> {
  if (UNREADABLE.has(request)) throw new errors.HttpProblem(400);
  const query = request.query as Record<string, unknown>;
  if (!route.ignoresUnusableFilters) assertStorableQuery(query);
  if (lacksParameter(route, query)) throw new errors.HttpProblem(400);
  const { body, errors: broken, wrongTypes } = readBody(route, request);
  if (wrongTypes) return wrongTypesAnswer(wrongTypes, app);
  const ids = Object.fromEntries(
    Object.entries(request.params).map(([name, text]) => [name, parseRecordId(text) ?? 0]),
  );
  const missing = errors.missingAnswer(route.missing, app);
  if (!route.emptyWhenMissing && Object.values(ids).includes(0)) return missing;
  const id = ids['id'] ?? 0;
  if (broken) {
    const found = (await route.precheck?.(app, id, ids)) ?? true;
    if (isRefusal(found)) return errors.outcomeAnswer(found, app);
    return found ? errors.fieldErrorsAnswer(broken, app) : missing;
  }
  const { file } = route.upload ? formOf(request) : { file: undefined };
  const call = { app, tokenId, customerId: customerId ?? 0, id, ids, query, body, file, request };
  return errors.outcomeAnswer((await route.handle(call)) ?? missing, app);
}

/** Whether a required query parameter is missing or has the wrong type. */
function lacksParameter({ query: parameters = {} }: Route, query: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(parameters).some(([name, { required, schema }]) => {
    if (!required) return false;
    return schema['type'] === 'integer' ? parseInteger(query[name]) === undefined : (query[name] ?? '') === '';
  });
}

function readBody(route: Route, request: Request): Validated<object> {
  if (route.body === undefined) return { body: {}, errors: undefined };
  if (route.upload) return validateBody(route.body, formOf(request).fields);
  const raw: unknown = request.body;
  return validateBody(route.body, raw === undefined && route.bodyOptional ? {} : raw, route.namesWrongTypes);
}

function contentTypeIsJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  next(!hasBody || request.is(['json', '+json']) ? undefined : new errors.HttpProblem(400));
}

/** Parses the body. A body that the call does not use must be readable all the same. */
function jsonBody({ body, bodyOptional = body === undefined }: Route, limit: number): express.RequestHandler {
  const readable = (request: IncomingMessage, _response: unknown, bytes: Buffer, charset: string): void => {
    if (request.headers['idempotency-key'] !== undefined) BODIES.set(request, bytes);
    // The parser accepts every UTF and reads an empty body as `{}`; the check of the bytes knows only UTF-8.
    const isEmpty = bytes.length === 0 && !bodyOptional;
    if (charset !== 'utf-8' || isEmpty || !isReadableJson(bytes)) throw new errors.HttpProblem(400);
  };
  const json = express.json({ limit, strict: false, type: () => true, verify: readable });
  const parse = withinBytes(limit, json);
  return (request, response, next) => parse(request, response, (error?: unknown) => next(postponed(error, request)));
}

/** Keyed calls whose body is not JSON: they are refused inside the keyed call, so that the refusal is kept. */
const UNREADABLE = new WeakSet<IncomingMessage>();

function postponed(error: unknown, request: IncomingMessage): unknown {
  const isUnreadable = (error as { status?: unknown } | undefined)?.status === 400 && BODIES.has(request);
  if (isUnreadable) UNREADABLE.add(request);
  return isUnreadable ? undefined : error;
}

/** Errors answered 503, which promises that nothing was written. */
function isUnavailable(error: unknown): boolean {
  return isDatabaseUnavailable(error) || error instanceof errors.Unavailable;
}

function answerOf(error: unknown, request: Request, observer: Observer): Answer {
  if (error instanceof errors.HttpProblem) return errors.problemAnswer(error);
  const status = (error as { status?: unknown }).status;
  if (status === TOO_LARGE) return errors.problemAnswer(tooLarge());
  // Any other error of Express and its body parser is an unreadable request.
  if (typeof status === 'number' && status >= 400 && status < 500)
    return errors.problemAnswer(new errors.HttpProblem(400));
  observer.failed(error, request);
  if (isUnavailable(error)) return errors.problemAnswer(new errors.HttpProblem(503, { 'Retry-After': '1' }));
  return errors.failureAnswer();
}

export function send(response: Response, answered: Answer): void {
  if (response.headersSent) return void response.destroy();
  const { body, text } = answered;
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  setHead(response, answered, payload !== undefined);
  if (payload === undefined) return void response.end();
  response.setHeader('Content-Length', Buffer.byteLength(payload));
  if (answered.status === TOO_LARGE && !response.req.complete) answerEarly(response, payload);
  else response.end(payload);
}

function setHead(response: Response, { status, headers, keys }: Answer, hasBody: boolean): void {
  response.locals['keys'] = keys;
  response.status(status).setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (!hasBody || response.hasHeader('Content-Type')) return;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
}

/** Streams with backpressure. When a later chunk fails, the connection is cut. */
async function sendChunks(response: Response, answered: Answer, chunks: AsyncIterable<string>): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  // Before anything is sent, a failure can still be answered.
  const first = await iterator.next();
  setHead(response, answered, true);
  try {
    await pipeline(startingWith(first, iterator), response);
  } catch (error) {
    // The client closed the connection.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* startingWith<Chunk>(first: IteratorResult<Chunk>, rest: AsyncIterator<Chunk>): AsyncGenerator<Chunk> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}

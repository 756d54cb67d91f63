import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import type { Clock, Turns } from '@back-office/kernel';
import { actorOf } from './actor.js';
import { acceptsOneOf } from './accept.js';
import { warnOfExpiry } from './authentication.js';
import { addressOf } from './caller-address.js';
import { Callers } from './callers.js';
import { CallsInProgress } from './calls-in-progress.js';
import type { Answer } from './answer.js';
import { compress } from './compress.js';
import { allowOrigins } from './cross-origin.js';
import { announceDeprecation } from './deprecation.js';
import { createDispatcher } from './dispatcher.js';
import { TOO_LARGE, tooLarge } from './early-answer.js';
import * as errors from './errors.js';
import type { AccessTokenQueries, KeyedCalls, TokenHolder } from '@back-office/apps';
import { isUnknownOutcome, type Calls } from '@back-office/database';
import type { LargeCalls } from './large-calls.js';
import { discardForm, type UploadSettings } from './multipart.js';
import { parseQuery } from './query-text.js';
import { countToken, limitTokenRate, type RateLimits } from './rate-limit.js';
import { bodyHandlersOf } from './request-body.js';
import { Preconditions } from './preconditions.js';
import type { Route } from './route.js';
import { addSecurityHeaders } from './security-headers.js';
import { send, sendChunks } from './send.js';
import { startInTurn } from './start-in-turn.js';
import { isStrict } from './strict.js';
import { UnsentBytes } from './unsent-bytes.js';
import { logRequests, type Observer } from './request-log.js';

import { answerCall, isUnavailable } from './answer-call.js';
import { BASE_PATH } from './base-path.js';

export interface AppParts {
  readonly routes: readonly Route[];
  readonly tokens: AccessTokenQueries;
  readonly onAuthenticated: (holder: TokenHolder) => void;
  readonly keyedCalls: KeyedCalls;
  readonly calls: Pick<Calls, 'runAs' | 'runFor' | 'runIf' | 'track'>;
  readonly clock: Clock;
  readonly jsonLimit: number;
  /** Timeout in ms for reading a JSON body; an upload has the longer timeout of the whole request. */
  readonly jsonBodyMs: number;
  readonly uploads: UploadSettings;
  readonly corsOrigins: readonly string[];
  /** `undefined` means unlimited. */
  readonly rateLimits: RateLimits | undefined;
  readonly observer: Observer;
  /** Maximum number of calls in progress per app, and of token look-ups in progress per address. */
  readonly maxCalls: { readonly perApp: number; readonly perAddress: number };
  /** Proxies whose `X-Forwarded-For` header is trusted, as Express expects them. */
  readonly trustProxy: number | readonly string[] | false;
  /** Turns of requests by app, or by address. */
  readonly starts: Turns<number | string>;
  readonly largeCalls: LargeCalls;
  readonly mountOutsideBasePath: (app: Express) => void;
}

export function createExpressApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', parseQuery);
  app.set('trust proxy', parts.trustProxy);
  app.use(logRequests(parts.observer));
  const callers = new Callers(parts);
  app.use((request, _response, next) =>
    startInTurn(parts.starts, callers.partyOf(request), () => request.socket.destroyed || next()),
  );
  parts.mountOutsideBasePath(app);
  app.use(BASE_PATH, addSecurityHeaders());
  if (parts.corsOrigins.length > 0) {
    app.use(BASE_PATH, allowOrigins(parts.corsOrigins));
  }
  app.use(BASE_PATH, compress());
  const rateLimiter = limitTokenRate(parts.rateLimits?.perToken);
  const appCalls = new CallsInProgress<number>(parts.maxCalls.perApp);
  const gate: Gate = {
    callers,
    appCalls,
    unsentBytes: new UnsentBytes(),
    rateLimiter,
    preconditions: new Preconditions(parts.routes, parts.calls),
  };
  app.use(createDispatcher(parts.routes, (router, route) => mount(router, route, parts, gate)));
  app.use((_request, response) => send(response, errors.UNKNOWN_PATH_ANSWER));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    send(response, answerOf(error, request, response, parts.observer));
    parts.largeCalls.end(response);
  });
  return app;
}

interface Gate {
  readonly callers: Callers;
  readonly appCalls: CallsInProgress<number>;
  readonly unsentBytes: UnsentBytes;
  readonly rateLimiter: express.RequestHandler;
  readonly preconditions: Preconditions;
}

/** Adds the route and its checks, in the order that the published interface defines. */
function mount(router: Router, route: Route, parts: AppParts, gate: Gate): void {
  router[route.method](
    BASE_PATH + route.path,
    ...(route.deprecated ? [announceDeprecation(route.deprecated)] : []),
    (request, response, next) => {
      response.locals['route'] = route.path;
      response.locals['bodyClass'] = route.body;
      next(acceptsOneOf(request, route.media) ? undefined : new errors.HttpProblem(406));
    },
    authenticateCall(route, parts, gate),
    gate.rateLimiter,
    ...bodyHandlersOf(route, parts),
    // Validating a large body takes long, and many bodies may arrive at once, so each call waits for its turn.
    (_request, response, next) => startInTurn(parts.starts, (response.locals['holder'] as TokenHolder).app.id, next),
    async (request, response) => {
      const holder = response.locals['holder'] as TokenHolder;
      const work = (): Promise<void> => respond(route, request, response, parts, gate);
      const actor = actorOf(request, holder);
      await parts.calls.runFor({ kind: 'app', key: holder.app.id }, () => parts.calls.runAs(actor, work));
      parts.largeCalls.finish(response);
    },
  );
}

/** Identifies the caller and counts the call. Drops a call whose client has left. */
function authenticateCall(route: Route, parts: AppParts, gate: Gate): express.RequestHandler {
  return async (request, response, next) => {
    const holder = await gate.callers.authenticate(request, route);
    if (!('tokenId' in holder)) {
      parts.observer.onRejected(holder, addressOf(request));
      const limitError = 'missingScope' in holder && (await countRefused(parts, holder, response));
      return limitError ? next(limitError) : send(response, errors.tokenErrorAnswer(holder));
    }
    // The client has left. Limits and turns count a call until its response emits `close`, which has already happened.
    if (response.closed) return;
    response.locals['holder'] = holder;
    parts.onAuthenticated(holder);
    warnOfExpiry(response, holder, parts.clock);
    // A call above the maximum would be answered too late, so it is refused before its body is read.
    return next(countCall(gate.appCalls, holder.app.id, response) ? undefined : new errors.Busy('app_calls'));
  };
}

/** A token without the needed scope is still valid, so the call counts towards the limit of the token. */
function countRefused({ rateLimits }: AppParts, { token }: errors.Rejection, response: Response) {
  return token?.tokenId === undefined ? undefined : countToken(rateLimits?.perToken, token.tokenId, response);
}

/**
 * Returns false above the maximum. Otherwise counts the call until its response closes, so the arrival of its body
 * counts too.
 */
function countCall(calls: CallsInProgress<number>, appId: number, response: Response): boolean {
  const hasBegun = calls.begin(appId);
  if (hasBegun) response.once('close', () => calls.end(appId));
  return hasBegun;
}

function rememberToken({ body }: Answer, appId: number, callers: Callers): void {
  const token = (body as { readonly data?: { readonly access_token?: unknown } } | undefined)?.data?.access_token;
  if (typeof token === 'string') callers.rememberIssued(token, appId);
}

async function respond(
  route: Route,
  request: Request,
  response: Response,
  parts: AppParts,
  { callers, unsentBytes, preconditions }: Gate,
): Promise<void> {
  const holder = response.locals['holder'] as TokenHolder;
  try {
    if (isStrict(request)) response.setHeader('Preference-Applied', 'handling=strict');
    if (unsentBytes.isFull(holder.app.id)) throw new errors.Busy('app_bytes');
    const result = await answerCall(route, request, response, parts, preconditions);
    if (route.returnsSecret) rememberToken(result, holder.app.id, callers);
    if (result.chunks) await sendChunks(response, result, result.chunks);
    else {
      const bytes = send(response, result);
      unsentBytes.add(holder.app.id, response, bytes);
    }
  } finally {
    if (route.upload) await discardForm(request);
  }
}

function answerOf(error: unknown, request: Request, response: Response, observer: Observer): Answer {
  if (error instanceof errors.LimitExceeded) {
    const holder = response.locals['holder'] as TokenHolder | undefined;
    const { app, tokenId } = holder ?? {};
    observer.onLimit(error.limit, { appId: app?.id, tokenId, address: addressOf(request) });
  }
  if (error instanceof errors.HttpProblem) return errors.problemAnswer(error);
  const status = (error as { status?: unknown }).status;
  if (status === TOO_LARGE) return errors.problemAnswer(tooLarge());
  // A 4xx error that is no `HttpProblem` comes from Express or its body parsers. It means that the request is
  // unreadable.
  if (typeof status === 'number' && status >= 400 && status < 500)
    return errors.problemAnswer(new errors.HttpProblem(400));
  observer.onFailed(error, request);
  // A read may write, for example place events, and can always be repeated.
  const isRepeatable = isUnavailable(error) || (['GET', 'HEAD'].includes(request.method) && isUnknownOutcome(error));
  if (isRepeatable) return errors.problemAnswer(new errors.HttpProblem(503, { 'Retry-After': '1' }));
  return errors.internalErrorAnswer();
}

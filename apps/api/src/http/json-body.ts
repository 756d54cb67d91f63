import express, { type NextFunction, type Request, type Response } from 'express';
import type { IncomingMessage } from 'node:http';
import type { TokenHolder } from '@back-office/apps';
import type { Turns } from '@back-office/kernel';
import { limitBytes } from './early-answer.js';
import * as errors from './errors.js';
import { parseJson } from './json-text.js';
import type { LargeCalls } from './large-calls.js';
import type { Route } from './route.js';
import { send } from './send.js';
import { startInTurn } from './start-in-turn.js';

const RAW_BODIES = new WeakMap<IncomingMessage, Buffer>();

/** Returns the body as sent; only keyed calls keep it. */
export function rawBodyOf(request: IncomingMessage): Buffer | undefined {
  return RAW_BODIES.get(request);
}

/** Whether a keyed call has an invalid JSON body. Its refusal is stored, so that a repeat gets the same refusal. */
export function isUnreadable(request: IncomingMessage): boolean {
  return UNREADABLE_REQUESTS.has(request);
}

export function jsonBodyHandlers(
  route: Route,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
  turns: BodyTurns,
): express.RequestHandler[] {
  return [requireJson, limitBodyTime(timeoutMs), parseJsonBody(route, maxBytes, turns)];
}

interface BodyTurns {
  readonly starts: Turns<number | string>;
  readonly largeCalls: Pick<LargeCalls, 'startBody'>;
}

function limitBodyTime(milliseconds: number): express.RequestHandler {
  return (request, response, next) => {
    const timer = setTimeout(() => {
      if (!request.complete && !response.headersSent)
        send(response, errors.problemAnswer(new errors.HttpProblem(408, { Connection: 'close' })));
    }, milliseconds).unref();
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

function requireJson(request: Request, _response: Response, next: NextFunction): void {
  next(!hasBody(request) || request.is(['json', '+json']) ? undefined : contentTypeProblem());
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function contentTypeProblem(): errors.HttpProblem {
  return errors.badRequest('Request.InvalidHeader', { details: { header: 'Content-Type' } });
}

/** Refuses a body that is not valid JSON, even when the call ignores its body. */
function parseJsonBody(
  { body, bodyOptional = body === undefined }: Route,
  limit: number,
  { starts, largeCalls }: BodyTurns,
): express.RequestHandler {
  const receive = limitBytes(limit, express.raw({ limit, type: () => true }));
  const parse = (request: Request, bytes: Buffer): void => {
    const isEmpty = bytes.length === 0;
    if (!isUtf8Type(request) || (isEmpty && !bodyOptional)) throw errors.badRequest('Request.InvalidJson');
    request.body = isEmpty ? {} : parseBytes(bytes);
  };
  return (request, response, next) => {
    receive(request, response, (error?: unknown) => {
      const bytes: unknown = request.body;
      // Express reads no body after the client has gone; the call must not run without it.
      if (error === undefined && !Buffer.isBuffer(bytes) && hasBody(request)) return next(new errors.HttpProblem(400));
      if (error !== undefined || !Buffer.isBuffer(bytes)) return next(error);
      if (request.headers['idempotency-key'] !== undefined) RAW_BODIES.set(request, bytes);
      const appId = (response.locals['holder'] as TokenHolder).app.id;
      const parseInTurn = (): void => {
        try {
          parse(request, bytes);
          next();
        } catch (parseError) {
          next(postponeUnreadable(parseError, request));
        }
      };
      largeCalls.startBody(appId, response, bytes.length, (busy) =>
        // Parsing a large body takes long, so each body waits for its turn.
        busy ? next(busy) : startInTurn(starts, appId, parseInTurn),
      );
    });
  };
}

function isUtf8Type({ headers }: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return charset.toLowerCase() === 'utf-8';
}

function parseBytes(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof errors.HttpProblem ? error : errors.badRequest('Request.InvalidJson');
  }
}

const UNREADABLE_REQUESTS = new WeakSet<IncomingMessage>();

function postponeUnreadable(error: unknown, request: IncomingMessage): unknown {
  const isPostponed = (error as { status?: unknown } | undefined)?.status === 400 && RAW_BODIES.has(request);
  if (isPostponed) UNREADABLE_REQUESTS.add(request);
  return isPostponed ? undefined : error;
}

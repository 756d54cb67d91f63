import type { Turns } from '@back-office/kernel';
import type { Request, RequestHandler } from 'express';
import { jsonBodyHandlers } from './json-body.js';
import { admitLargeBodies, admitLargePages, type LargeCalls } from './large-calls.js';
import { formOf, receiveForm, type UploadSettings } from './multipart.js';
import { maxBodyBytes, type Route } from './route.js';
import { validateBody, type ValidatedBody } from './validate-body.js';

interface BodySettings {
  readonly jsonLimit: number;
  readonly jsonBodyMs: number;
  readonly uploads: UploadSettings;
  readonly starts: Turns<number | string>;
  readonly largeCalls: LargeCalls;
}

export function bodyHandlersOf(
  route: Route,
  { jsonLimit, jsonBodyMs, uploads, starts, largeCalls }: BodySettings,
): RequestHandler[] {
  if (route.method === 'get') return [admitLargePages(largeCalls, route)];
  if (route.upload) return [receiveForm(uploads)];
  const limits = { maxBytes: maxBodyBytes(route, jsonLimit), timeoutMs: jsonBodyMs };
  return [admitLargeBodies(largeCalls, limits.maxBytes), ...jsonBodyHandlers(route, limits, { starts, largeCalls })];
}

export function readBody(route: Route, request: Request): ValidatedBody<object> {
  if (route.body === undefined) return { body: {}, errors: undefined };
  if (route.upload) return validateBody(route.body, formOf(request).fields);
  const raw: unknown = request.body;
  return validateBody(route.body, raw === undefined && route.bodyOptional ? {} : raw, route.listsWrongTypes);
}

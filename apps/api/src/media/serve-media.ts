import { mayHoldScripts, type ByteRange, type MediaStore } from '@back-office/media';
import type { Express, Request, Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { send } from '../http/express-app.js';
import { UNKNOWN_PATH } from '../http/errors.js';
import type { PublicObject, TypeOrmMediaObjects } from './typeorm-media-objects.js';

const KEY = /^\/[a-z0-9]+(?:\/[a-z0-9_][a-z0-9._@-]*)+$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const SHORTLY = 'public, max-age=60';
const TEXTS = new Set(['text/plain', 'text/csv']);
/** Shown by browsers themselves, in a frame that a sandbox would keep empty. */
const PDF = 'application/pdf';

/** Serves the public files of the library at `/media`. What is served was written once and never changes. */
export function serveMedia(app: Express, objects: TypeOrmMediaObjects, store: MediaStore): void {
  app.get(/^\/media\/.+/, async (request, response) => {
    response.locals['route'] = '/media';
    const found = await foundBy(request, objects);
    if (found === undefined) return send(response, UNKNOWN_PATH);
    return serve(found, request, response, store);
  });
}

async function foundBy(request: Request, objects: TypeOrmMediaObjects): Promise<PublicObject | undefined> {
  const path = decoded(request.path.slice('/media'.length));
  if (path === undefined || !KEY.test(path)) return undefined;
  const key = path.slice(1);
  const appId = await objects.appOf(key.slice(0, key.indexOf('/')));
  return appId === undefined ? undefined : objects.ofKey(appId, key);
}

async function serve(found: PublicObject, request: Request, response: Response, store: MediaStore): Promise<void> {
  setHead(response, found, request);
  if (request.fresh) return void response.status(304).end();
  const range = rangeOf(request, found.size, response);
  if (range === 'unsatisfiable') {
    return void response.status(416).setHeader('Content-Range', `bytes */${found.size}`).end();
  }
  const { first, last } = range ?? { first: 0, last: found.size - 1 };
  if (range) response.status(206).setHeader('Content-Range', `bytes ${first}-${last}/${found.size}`);
  response.setHeader('Content-Length', last - first + 1);
  if (request.method === 'HEAD') return void response.end();
  const stored = await store.read(found.content, range);
  if (stored === undefined) return send(response, UNKNOWN_PATH);
  return streamed(stored.bytes, response);
}

async function streamed(bytes: AsyncIterable<Uint8Array>, response: Response): Promise<void> {
  try {
    await pipeline(bytes instanceof Readable ? bytes : Readable.from(bytes), response);
  } catch (error) {
    // The client has hung up.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function setHead(response: Response, { content, mime, version, isSettled }: PublicObject, request: Request): void {
  const isThisVersion = request.query['v'] === String(version);
  response.setHeader('Content-Type', TEXTS.has(mime) ? `${mime}; charset=utf-8` : mime);
  response.setHeader('Cache-Control', isThisVersion && isSettled ? FOR_EVER : SHORTLY);
  response.setHeader('ETag', `"${content.slice(content.lastIndexOf('/') + 1)}"`);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (mayHoldScripts(mime)) {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    response.setHeader('Content-Security-Policy', mime === PDF ? `${policy}; object-src 'self'` : `${policy}; sandbox`);
  }
}

/** A range of an older content is none, and only GET knows ranges. */
function rangeOf(request: Request, size: number, response: Response): ByteRange | 'unsatisfiable' | undefined {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== response.getHeader('ETag')) return undefined;
  return request.method === 'GET' ? byteRange(request.headers.range ?? '', size) : undefined;
}

/** One range alone, as RFC 9110 reads it; whoever asks for several, or for none that can be read, gets everything. */
function byteRange(text: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  if (first >= size) return 'unsatisfiable';
  return { first, last: from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

import { mayHoldScripts, type ByteRange, type MediaStore } from '@back-office/media';
import type { Express, Request, Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { send } from '../http/express-app.js';
import { Unavailable, UNKNOWN_PATH } from '../http/errors.js';
import type { PublicObject, TypeOrmMediaObjects } from './typeorm-media-objects.js';

const KEY = /^\/[a-z0-9]+(?:\/[a-z0-9_][a-z0-9._@-]*)+$/;
/** More changes than that within one answer are none that happen. */
const LOOKS = 5;
const OF_CONTENT = ['Content-Type', 'Content-Length', 'ETag', 'Accept-Ranges', 'Content-Security-Policy'];
const FOR_EVER = 'public, max-age=31536000, immutable';
const SHORTLY = 'public, max-age=60';
const TEXTS = new Set(['text/plain', 'text/csv']);
/** Shown by browsers themselves, in a frame that a sandbox would keep empty. */
const PDF = 'application/pdf';

/** Serves the public files of the library at `/media`. What is served was written once and never changes. */
export function serveMedia(app: Express, objects: TypeOrmMediaObjects, store: MediaStore): void {
  app.get(/^\/media\/.+/, async (request, response) => {
    response.locals['route'] = '/media/*';
    const key = keyOf(request);
    const appId = key === undefined ? undefined : await objects.appOf(key.slice(0, key.indexOf('/')));
    if (key === undefined || appId === undefined) return send(response, UNKNOWN_PATH);
    // The content may become another between the look and the read; what was there is then gone.
    for (let look = 0; look < LOOKS; look += 1) {
      const found = await objects.ofKey(appId, key);
      if (found === undefined) break;
      if (await serve(found, request, response, store)) return;
    }
    return send(response, UNKNOWN_PATH);
  });
}

function keyOf(request: Request): string | undefined {
  const path = decoded(request.path.slice('/media'.length));
  return path !== undefined && KEY.test(path) ? path.slice(1) : undefined;
}

/** False when the content has gone meanwhile; nothing is sent then. */
async function serve(found: PublicObject, request: Request, response: Response, store: MediaStore): Promise<boolean> {
  setHead(response, found, request);
  if (request.fresh) return ended(response.status(304));
  const range = rangeOf(request, found.size, response);
  if (range === 'unsatisfiable') {
    return ended(response.status(416).setHeader('Content-Range', `bytes */${found.size}`));
  }
  const { first, last } = range ?? { first: 0, last: found.size - 1 };
  response.setHeader('Content-Length', last - first + 1);
  if (request.method === 'HEAD') return ended(response);
  const stored = await readFrom(store, found.content, range);
  if (stored === undefined) {
    for (const name of OF_CONTENT) response.removeHeader(name);
    return false;
  }
  if (range) response.status(206).setHeader('Content-Range', `bytes ${first}-${last}/${found.size}`);
  await streamed(stored.bytes, response);
  return true;
}

function ended(response: Response): true {
  response.end();
  return true;
}

async function readFrom(store: MediaStore, content: string, range: ByteRange | undefined) {
  try {
    return await store.read(content, range);
  } catch (error) {
    throw new Unavailable('The store cannot be read', { cause: error });
  }
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

import { type ByteRange, canRunScripts, type MediaStore, type PublicObject } from '@back-office/media';
import type { Calls } from '@back-office/database';
import type { Express, Request, Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MEDIA_ROUTE } from '../../http/base-path.js';
import { addressOf } from '../../http/caller-address.js';
import { CallsInProgress } from '../../http/calls-in-progress.js';
import { Busy, Unavailable, UNKNOWN_PATH_ANSWER } from '../../http/errors.js';
import { send } from '../../http/send.js';
import type { PublicObjectCache } from './public-object-cache.js';

const PUBLIC_PATH = /^\/[a-z0-9]+(?:\/[a-z0-9_][a-z0-9._@-]*)+$/;
const MAX_READS = 5;
const CONTENT_HEADERS = ['Content-Type', 'Content-Length', 'ETag', 'Accept-Ranges', 'Content-Security-Policy'];
const CACHE_FOREVER = 'public, max-age=31536000, immutable';
const CACHE_BRIEFLY = 'public, max-age=60';
const TEXT_TYPES = new Set(['text/plain', 'text/csv']);
/** Served without a sandbox, because browsers show a PDF in a frame that a sandbox would leave empty. */
const PDF = 'application/pdf';

export interface ServedFiles {
  readonly objects: Pick<PublicObjectCache, 'find'>;
  readonly store: MediaStore;
  readonly calls: Pick<Calls, 'runFor'>;
  /** Maximum number of look-ups in progress per address. */
  readonly maxLookUps: number;
}

export function serveMedia(app: Express, { objects, store, calls, maxLookUps }: ServedFiles): void {
  const lookUps = new CallsInProgress<string>(maxLookUps);
  const find = (address: string, key: string) =>
    lookUps.run(address, () =>
      calls.runFor({ kind: 'file', key: address }, async () => ({ found: await objects.find(key) })),
    );
  app.get(/^\/media\/.+/, async (request, response) => {
    response.locals['route'] = MEDIA_ROUTE;
    const key = keyOf(request);
    if (key === undefined) return send(response, UNKNOWN_PATH_ANSWER);
    // A replaced file may lose its blob between look-up and read, so the look-up is repeated.
    for (let attempt = 0; attempt < MAX_READS; attempt += 1) {
      const lookUp = await find(addressOf(request), key);
      if (lookUp === undefined) throw new Busy('address_look_ups');
      const { found: object } = lookUp;
      if (object === undefined) break;
      if (await serve(object, request, response, store)) return;
    }
    return send(response, UNKNOWN_PATH_ANSWER);
  });
}

function keyOf(request: Request): string | undefined {
  const path = decodePath(request.path.slice('/media'.length));
  return path !== undefined && PUBLIC_PATH.test(path) ? path.slice(1) : undefined;
}

/** Returns false without sending anything when the blob no longer exists. */
async function serve(object: PublicObject, request: Request, response: Response, store: MediaStore): Promise<boolean> {
  setHeaders(response, object, request);
  if (request.fresh) return endResponse(response.status(304));
  const range = requestedRange(request, object.size, response);
  if (range === 'unsatisfiable') {
    return endResponse(response.status(416).setHeader('Content-Range', `bytes */${object.size}`));
  }
  const { first, last } = range ?? { first: 0, last: object.size - 1 };
  response.setHeader('Content-Length', last - first + 1);
  if (request.method === 'HEAD') return endResponse(response);
  const blob = await readContent(store, object.content, range);
  if (blob === undefined) {
    for (const name of CONTENT_HEADERS) response.removeHeader(name);
    return false;
  }
  if (range) response.status(206).setHeader('Content-Range', `bytes ${first}-${last}/${object.size}`);
  await streamBytes(blob.bytes, response);
  return true;
}

function endResponse(response: Response): true {
  response.end();
  return true;
}

async function readContent(store: MediaStore, content: string, range: ByteRange | undefined) {
  try {
    return await store.read(content, range);
  } catch (error) {
    throw new Unavailable('The store cannot be read', { cause: error });
  }
}

async function streamBytes(bytes: AsyncIterable<Uint8Array>, response: Response): Promise<void> {
  try {
    await pipeline(bytes instanceof Readable ? bytes : Readable.from(bytes), response);
  } catch (error) {
    // This code means that the client has closed the connection. The service has not failed.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function setHeaders(response: Response, { content, mime, version, isImmutable }: PublicObject, request: Request): void {
  const isCurrentVersion = request.query['v'] === String(version);
  response.setHeader('Content-Type', TEXT_TYPES.has(mime) ? `${mime}; charset=utf-8` : mime);
  response.setHeader('Cache-Control', isCurrentVersion && isImmutable ? CACHE_FOREVER : CACHE_BRIEFLY);
  response.setHeader('ETag', `"${content.slice(content.lastIndexOf('/') + 1)}"`);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (canRunScripts(mime)) {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    response.setHeader('Content-Security-Policy', mime === PDF ? `${policy}; object-src 'self'` : `${policy}; sandbox`);
  }
}

function requestedRange(request: Request, size: number, response: Response): ByteRange | 'unsatisfiable' | undefined {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== response.getHeader('ETag')) return undefined;
  return request.method === 'GET' ? parseByteRange(request.headers.range ?? '', size) : undefined;
}

/** Parses a single RFC 9110 range. Returns undefined for a malformed range or for several ranges. */
function parseByteRange(text: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(text.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  if (first >= size) return 'unsatisfiable';
  return { first, last: from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

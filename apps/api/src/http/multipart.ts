import type { Request, RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooLarge, withinBytes } from './early-answer.js';
import { HttpProblem, Unavailable } from './errors.js';

/** An uploaded file, on disk until the call is answered. */
export interface ReceivedFile {
  readonly path: string;
  /** The client's name for it: only a hint. */
  readonly name: string;
  readonly size: number;
  /** SHA-256 in hex. */
  readonly hash: string;
  /** The first bytes, for type detection. */
  readonly head: Uint8Array;
}

/** Folder for uploads, and the maximum size of a file in bytes. */
export interface Uploads {
  readonly directory: string;
  readonly limit: number;
}

/** The only field that may hold a file. */
const FIELD = 'file';
const HEAD_BYTES = 65_536;
const MAX_FIELD_BYTES = 65_536;
/** Maximum size of all form fields except the file. */
const MAX_FORM_BYTES = 1_048_576;
const LIMITS = { files: 1, fields: 40, parts: 41, fieldNameSize: 100, fieldSize: MAX_FIELD_BYTES, headerPairs: 20 };
/** Without a limit, one large index would allocate a list that blocks every other call. */
const NESTED = { fieldNestingDepth: 2, fieldArrayIndexLimit: 1_000 };
/** Age after which an interrupted upload is removed. */
const STALE_MS = 24 * 3_600_000;

export interface Form {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: ReceivedFile | undefined;
}

/** Removes files left by crashes. */
export async function removeStaleUploads({ directory }: Uploads): Promise<void> {
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    const seen = await stat(path).catch(() => undefined);
    if (seen?.isFile() && Date.now() - seen.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}

/** Receives a form. Its file is streamed to disk and removed after the call. */
export function formBody(uploads: Uploads): RequestHandler {
  const receive = multer({
    storage: new Spool(uploads.directory),
    limits: { ...LIMITS, ...NESTED, fileSize: uploads.limit },
    defParamCharset: 'utf8',
  }).any();
  const bounded = withinBytes(uploads.limit + MAX_FORM_BYTES, receive);
  return (request, response, next) => {
    if (!hasBody(request)) return next();
    if (!request.is('multipart/form-data')) return next(new HttpProblem(400));
    return bounded(request, response, (error: unknown) => next(error === undefined ? undefined : problemOf(error)));
  };
}

/** The form that {@link formBody} received. */
export function formOf(request: Request): Form {
  const { files } = request as { files?: unknown };
  const [file] = (Array.isArray(files) ? files : []) as (ReceivedFile & { readonly fieldname: string })[];
  const fields = Object.fromEntries(Object.entries((request.body ?? {}) as Record<string, unknown>));
  return { fields, file: file?.fieldname === FIELD ? file : undefined };
}

/** Fingerprint of a form, independent of the order of its fields. */
export function formFingerprint(request: Request): Buffer {
  const { fields, file } = formOf(request);
  const sorted = Object.keys(fields)
    .sort()
    .map((name) => [name, fields[name]]);
  return createHash('sha256')
    .update(JSON.stringify([sorted, file?.name, file?.hash]))
    .digest();
}

/** Removes the received file. */
export async function discardForm(request: Request): Promise<void> {
  const files = ((request as { files?: unknown }).files ?? []) as ReceivedFile[];
  await Promise.all(files.map(({ path }) => rm(path, { force: true }).catch(() => {})));
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function problemOf(error: unknown): unknown {
  if (error instanceof HttpProblem) return error;
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge();
  // The form parser does not mark client errors; errors of the disk have a code.
  return isOfTheDisk(error) ? new Unavailable('Uploads cannot be received', { cause: error }) : new HttpProblem(400);
}

function isOfTheDisk(error: unknown): boolean {
  return (error as { syscall?: unknown } | null)?.syscall !== undefined;
}

type Done = (error?: unknown, file?: object) => void;

/** Streams files to disk and hashes them on the way. */
class Spool implements multer.StorageEngine {
  constructor(private readonly directory: string) {}

  _handleFile(_request: Request, file: Express.Multer.File, done: Done): void {
    void received(file.stream, join(this.directory, randomUUID()), file.originalname).then(
      (kept) => done(undefined, kept),
      (error: unknown) => done(error),
    );
  }

  _removeFile(_request: Request, file: Express.Multer.File, done: (error: Error | null) => void): void {
    rm(file.path, { force: true }).then(() => done(null), done);
  }
}

async function received(stream: Readable, path: string, name: string): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  const heads: Uint8Array[] = [];
  let size = 0;
  const looked = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      if (size < HEAD_BYTES) heads.push(chunk.subarray(0, HEAD_BYTES - size));
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(stream, looked, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return { path, name, size, hash: hash.digest('hex'), head: Buffer.concat(heads) };
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

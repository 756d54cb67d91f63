import type { Request, RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import { createHash, randomUUID } from 'node:crypto';
import { open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooLarge, limitBytes } from './early-answer.js';
import { badRequest, HttpProblem, Unavailable } from './errors.js';

export interface ReceivedFile {
  readonly path: string;
  /** File name as sent by the client; untrusted. */
  readonly name: string;
  readonly size: number;
  /** SHA-256 in hex. */
  readonly hash: string;
}

export interface UploadSettings {
  readonly directory: string;
  readonly maxFileBytes: number;
}

const FILE_FIELD = 'file';
const MAX_FIELD_BYTES = 65_536;
const MAX_FORM_BYTES = 1_048_576;
const MAX_PARTS = 41;
const LIMITS = {
  files: MAX_PARTS,
  fields: 40,
  parts: MAX_PARTS,
  fieldNameSize: 100,
  fieldSize: MAX_FIELD_BYTES,
  headerPairs: 20,
};
/** Without a maximum index, a field such as `a[99999999]` would allocate a huge list. */
const NESTING_LIMITS = { fieldNestingDepth: 2, fieldArrayIndexLimit: 1_000 };
const STALE_UPLOAD_MS = 24 * 3_600_000;

export interface Form {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: ReceivedFile | undefined;
}

export async function removeStaleUploads({ directory }: UploadSettings): Promise<void> {
  for await (const entry of await opendir(directory)) {
    const path = join(directory, entry.name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > STALE_UPLOAD_MS) await rm(path, { force: true });
  }
}

/** Streams the file of a form to disk. {@link discardForm} removes the file after the call. */
export function receiveForm(uploads: UploadSettings): RequestHandler {
  const receive = multer({
    storage: new HashingStorage(uploads.directory),
    fileFilter: acceptOneFile,
    limits: { ...LIMITS, ...NESTING_LIMITS, fileSize: uploads.maxFileBytes },
    defParamCharset: 'utf8',
  }).any();
  const receiveLimited = limitBytes(uploads.maxFileBytes + MAX_FORM_BYTES, receive);
  return (request, response, next) => {
    if (!hasBody(request)) return next();
    if (!request.is('multipart/form-data'))
      return next(badRequest('Request.InvalidHeader', { details: { header: 'Content-Type' } }));
    return receiveLimited(request, response, (error: unknown) =>
      next(error === undefined ? undefined : problemOf(error)),
    );
  };
}

type ReceivedPart = { readonly fieldname: string } & (ReceivedFile | { readonly json: unknown });

export function formOf(request: Request): Form {
  const fields = new Map(Object.entries((request.body ?? {}) as Record<string, unknown>));
  let file: ReceivedFile | undefined;
  for (const part of partsOf(request)) {
    const { fieldname: name } = part;
    if ('json' in part) fields.set(name, fields.has(name) ? [fields.get(name), part.json].flat() : part.json);
    else if (name === FILE_FIELD) file = part;
  }
  return { fields: Object.fromEntries(fields), file };
}

function partsOf(request: Request): readonly ReceivedPart[] {
  const { files } = request as { files?: unknown };
  return Array.isArray(files) ? (files as ReceivedPart[]) : [];
}

export function fingerprintForm(request: Request): Buffer {
  const { fields, file } = formOf(request);
  const sortedFields = Object.keys(fields)
    .sort()
    .map((name) => [name, fields[name]]);
  return createHash('sha256')
    .update(JSON.stringify([sortedFields, file?.name, file?.hash]))
    .digest();
}

export async function discardForm(request: Request): Promise<void> {
  const paths = partsOf(request).flatMap((part) => ('path' in part ? [part.path] : []));
  await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => {})));
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function problemOf(error: unknown): unknown {
  if (error instanceof HttpProblem) return error;
  if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge();
  // The form parser does not mark errors of the client. Only disk errors have a `syscall`, so the client has caused
  // every other error.
  return isDiskError(error)
    ? new Unavailable('Uploads cannot be received', { cause: error })
    : badRequest('Request.InvalidForm');
}

function isDiskError(error: unknown): boolean {
  return (error as { syscall?: unknown } | null)?.syscall !== undefined;
}

type StorageCallback = (error?: unknown, file?: object) => void;

class HashingStorage implements multer.StorageEngine {
  constructor(private readonly directory: string) {}

  _handleFile(_request: Request, file: Express.Multer.File, done: StorageCallback): void {
    if (isJsonField(file)) {
      void readJson(file).then(
        (json) => done(undefined, { json }),
        (error: unknown) => done(error),
      );
      return;
    }
    void storeAndHash(file.stream, join(this.directory, randomUUID()), file.originalname).then(
      (storedFile) => done(undefined, storedFile),
      (error: unknown) => done(error),
    );
  }

  _removeFile(_request: Request, file: Express.Multer.File, done: (error: Error | null) => void): void {
    if (isJsonField(file)) done(null);
    else rm(file.path, { force: true }).then(() => done(null), done);
  }
}

/** Clients send a field as a file with this type if its value is a list or an object. */
function isJsonField({ fieldname, mimetype }: Express.Multer.File): boolean {
  return mimetype === 'application/json' && fieldname !== FILE_FIELD;
}

const FORMS_WITH_FILE = new WeakSet<Request>();

function acceptOneFile(request: Request, file: Express.Multer.File, done: multer.FileFilterCallback): void {
  if (isJsonField(file)) return done(null, true);
  if (FORMS_WITH_FILE.has(request)) return done(new MulterError('LIMIT_FILE_COUNT'));
  FORMS_WITH_FILE.add(request);
  return done(null, true);
}

/** Returns the value as the fields of a form have it: a number becomes a text. */
async function readJson({ stream, fieldname }: Express.Multer.File): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) throw badRequest('Request.InvalidForm', { field: fieldname });
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return typeof value === 'number' ? String(value) : value;
  } catch {
    throw badRequest('Request.InvalidForm', { field: fieldname });
  }
}

async function storeAndHash(stream: Readable, path: string, name: string): Promise<ReceivedFile> {
  const hash = createHash('sha256');
  let size = 0;
  const hashChunks = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  };
  // `createWriteStream(path)` opens the file later, possibly after `rm` has run, and would leave the file behind.
  const file = await open(path, 'wx', 0o600);
  try {
    await pipeline(stream, hashChunks, file.createWriteStream());
    return { path, name, size, hash: hash.digest('hex') };
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

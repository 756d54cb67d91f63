import type { StoreFixture } from '@back-office/media/testing';
import crypto from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import S3rver from 's3rver';
import { S3MediaStore } from '@back-office/storage-s3';

export const OPTIONS = { region: 'us-east-1', bucket: 'media', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

// The server encrypts page tokens with DES, which Node's OpenSSL no longer supports.
const { createCipheriv, createDecipheriv } = crypto;
const repeatBytes = (bytes: unknown): Buffer => Buffer.concat([bytes as Buffer, bytes as Buffer]);
const substituteCipher =
  <Cipher>(create: (name: string, key: Buffer, iv: Buffer) => Cipher) =>
  (name: string, key: unknown, iv: unknown): Cipher =>
    name === 'des'
      ? create('aes-128-cbc', repeatBytes(key), repeatBytes(iv))
      : create(name, key as Buffer, iv as Buffer);
/** Tests must call `replace` before {@link onS3rver} and `restore` after it. */
export const ciphers = {
  replace: () =>
    Object.assign(crypto, {
      createCipheriv: substituteCipher(createCipheriv),
      createDecipheriv: substituteCipher(createDecipheriv),
    }),
  restore: () => Object.assign(crypto, { createCipheriv, createDecipheriv }),
};

interface PutContext {
  readonly length?: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  get(header: string): string;
}

type Middleware = (context: PutContext, next: () => Promise<void>) => Promise<void>;

/** Serializes the puts of one object until its file is written. S3 does this too, but this server does not. */
function serializePuts(directory: string): Middleware {
  const lastPuts = new Map<string, Promise<void>>();
  return (context, next) => {
    const { method, path, query } = context;
    if (method !== 'PUT' || 'uploadId' in query || context.get('x-amz-copy-source') !== '') return next();
    const size = Number(context.get('x-amz-decoded-content-length') || context.get('content-length'));
    const put = async (): Promise<void> => {
      await next();
      const file = join(directory, `${decodeURIComponent(path)}._S3rver_object`);
      const deadline = Date.now() + 2_000;
      while (Date.now() < deadline && (await stat(file).catch(() => undefined))?.size !== size) await pause(2);
    };
    const queuedPut = (lastPuts.get(path) ?? Promise.resolve()).then(put);
    lastPuts.set(
      path,
      queuedPut.catch(() => {}),
    );
    return queuedPut;
  };
}

export async function openS3rverFixture(): Promise<StoreFixture> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'media', configs: [] }],
  });
  let sentBytes = 0;
  const countBytes: Middleware = async (context, next) => {
    await next();
    sentBytes += context.length ?? 0;
  };
  (server as unknown as { middleware: Middleware[] }).middleware.unshift(countBytes, serializePuts(directory));
  const { port } = (await server.run()) as AddressInfo;
  const store = new S3MediaStore({ ...OPTIONS, endpoint: `http://127.0.0.1:${port}` });
  const unreachable = new S3MediaStore({ ...OPTIONS, endpoint: 'http://127.0.0.1:9' });
  const mimeOf = async (key: string): Promise<string | undefined> => {
    const metadata = await readFile(join(directory, OPTIONS.bucket, `${key}._S3rver_metadata.json`), 'utf8');
    return (JSON.parse(metadata) as Record<string, string>)['content-type'];
  };
  const heldBytes = async (): Promise<number> => {
    let heldSize = 0;
    for await (const { size } of store.list('')) heldSize += size;
    return heldSize;
  };
  const close = async (): Promise<void> => {
    store.close();
    unreachable.close();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  };
  const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
  const openOther = async () => {
    const other = new S3MediaStore({ ...OPTIONS, endpoint: `http://127.0.0.1:${port}` });
    return { store: other, close: async () => other.close() };
  };
  const counting = process.platform === 'linux' && { openFiles, openOther };
  const failing = { unreachable, offline: unreachable };
  return { store, close, isTemporary: true, ...failing, mimeOf, heldBytes, sentBytes: () => sentBytes, ...counting };
}

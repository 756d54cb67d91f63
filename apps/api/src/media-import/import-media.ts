import { ApiError, type Client } from '@back-office/client';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ImportEntry } from './import-entries.js';
import type { ImportResults } from './import-results.js';

export interface ImportCounts {
  readonly imported: number;
  /** Files that an earlier run has imported. */
  readonly skipped: number;
  readonly failed: number;
}

export interface ImportOptions {
  readonly client: Client;
  readonly results: ImportResults;
  /** Number of concurrent uploads. */
  readonly atOnce: number;
  readonly onConflict: 'error' | 'rename';
  readonly onFailure: (source: string, error: string) => void;
}

const DOWNLOAD_TIMEOUT_MS = 120_000;
/** Statuses that every further upload would also get; 0 means no response after all attempts. */
const FINAL_STATUSES: readonly number[] = [0, 401, 403, 404];

/** Uploads the entries. A failed entry does not stop the others, except when the service accepts no upload at all. */
export async function importMedia(entries: AsyncIterable<ImportEntry>, options: ImportOptions): Promise<ImportCounts> {
  const counts = { imported: 0, skipped: 0, failed: 0 };
  const iterator = entries[Symbol.asyncIterator]();
  const folder = await mkdtemp(join(tmpdir(), 'back-office-import-'));
  let failure: unknown;
  const work = async (worker: number): Promise<void> => {
    while (failure === undefined) {
      const next = await iterator.next();
      if (next.done === true) return;
      const entry = next.value;
      if (options.results.has(entry)) counts.skipped += 1;
      else counts[await importEntry(entry, join(folder, String(worker)), options)] += 1;
    }
  };
  const workers = Array.from({ length: options.atOnce }, (_, worker) =>
    work(worker).catch((error: unknown) => {
      failure ??= error;
    }),
  );
  try {
    await Promise.all(workers);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (failure !== undefined) throw failure as Error;
  return counts;
}

async function importEntry(
  entry: ImportEntry,
  downloadPath: string,
  options: ImportOptions,
): Promise<'imported' | 'failed'> {
  const { source } = entry;
  try {
    const path = 'path' in entry.location ? entry.location.path : await download(entry.location.url, downloadPath);
    const { id, url } = await upload(entry, path, options);
    options.results.add(entry, { id, url });
    return 'imported';
  } catch (cause) {
    if (cause instanceof ApiError && FINAL_STATUSES.includes(cause.status))
      throw new Error(`The service accepts no upload: ${describe(cause)}`, { cause });
    const error = describe(cause);
    options.results.add(entry, { error });
    options.onFailure(source, error);
    return 'failed';
  }
}

async function upload(entry: ImportEntry, path: string, { client, results, onConflict }: ImportOptions) {
  const { source, location: _, name, folder, ...texts } = entry;
  const fields = { ...texts, name, on_conflict: onConflict, ...(folder !== '' && { folder }) };
  const { data } = await client.upload('/cdn/files', {
    body: { ...fields, file: await openAsBlob(path) },
    idempotencyKey: await keyOf(path, [results.importId, source, fields, results.failuresOf(entry)]),
  });
  return data;
}

/**
 * The key stays the same until the file has a result, so a run that was killed after an upload does not repeat it. After
 * a failure, the key is a new one, because the service repeats a stored refusal.
 */
async function keyOf(path: string, parts: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(parts));
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function download(url: string, path: string): Promise<string> {
  if (!URL.canParse(url)) throw new Error('This is not a URL');
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok || response.body === null) throw new Error(`The download has the status ${response.status}`);
  await pipeline(response.body as unknown as AsyncIterable<Uint8Array>, createWriteStream(path));
  return path;
}

function describe(error: unknown): string {
  if (error instanceof ApiError) return [error.key ?? error.message, error.status].join(' ');
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  fileType,
  IMAGE_TOO_LARGE,
  imageFacts,
  isBuffered,
  isUnreadableFile,
  kindOf,
  UNSUPPORTED_TYPE,
  stripLocation,
  type Blobs,
  type FileFacts,
  type MediaApp,
  type Receipt,
  type ReceivedContent,
  type SvgSanitizer,
  type UnreadableFile,
  type UploadReceipts,
} from '@back-office/media';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import { Unavailable } from '../../http/errors.js';
import type { ReceivedFile } from '../../http/multipart.js';
import type { Library } from '../library.js';

const SVG = 'image/svg+xml';
const MAX_HEADER_BYTES = 32 * 2 ** 20;

/** Each buffered file takes up to 32 MB of memory. */
const MAX_BUFFERED_FILES = 2;

export class ContentIntake {
  private readonly limitBuffering = pLimit(MAX_BUFFERED_FILES);

  constructor(
    private readonly library: Library,
    private readonly svgSanitizer: SvgSanitizer,
    private readonly receipts: UploadReceipts,
    private readonly pixelLimit: number,
  ) {}

  /** Strips location metadata from the stored content, and keeps the original of an image in a second blob. */
  async receive(app: MediaApp, file: ReceivedFile): Promise<ReceivedContent | Refusal> {
    const facts = await this.readFacts(file);
    if (isRefusal(facts)) return facts;
    const receipt = await this.receipts.begin(app, facts.kind === 'image');
    try {
      const write = () => this.writeBlobs(file, facts.mime, receipt);
      return { ...facts, receipt, ...(await (isBuffered(facts.mime) ? this.limitBuffering(write) : write())) };
    } catch (error) {
      await this.abandon(receipt);
      if (isUnreadableFile(error)) return UNSUPPORTED_TYPE;
      throw error;
    }
  }

  /** Ignores errors, since the sweep removes the blobs of unused receipts. */
  async abandon(receipt: Receipt): Promise<void> {
    await this.receipts.end(receipt).catch(() => {});
  }

  private async readFacts(file: ReceivedFile): Promise<FileFacts | Refusal> {
    const mime = fileType(file.head, file.name);
    const kind = mime === undefined ? undefined : kindOf(mime);
    if (mime === undefined || kind === undefined) return UNSUPPORTED_TYPE;
    if (kind === 'vector') return { mime, kind, size: this.svgSanitizer.size(file.head) };
    if (kind !== 'image') return { mime, kind, size: undefined };
    const facts =
      imageFacts(mime, file.head) ??
      (await this.limitBuffering(async () => imageFacts(mime, await readHead(file, MAX_HEADER_BYTES))));
    if (facts === undefined) return UNSUPPORTED_TYPE;
    const { width, height } = facts;
    return width * height > this.pixelLimit ? IMAGE_TOO_LARGE : { mime, kind, size: { width, height } };
  }

  private async writeBlobs(
    { path }: ReceivedFile,
    mime: string,
    { content, original }: Blobs,
  ): Promise<{ readonly bytes: number; readonly checksum: Buffer }> {
    const { store } = this.library;
    const hash = createHash('sha256');
    const readFailure: { error?: UnreadableFile } = {};
    try {
      const bytes = await store.put(
        content,
        hashWhileReading(this.publicContent(mime, readLazily(path)), hash, readFailure),
        mime,
      );
      if (original !== null) await store.put(original, readLazily(path), mime);
      return { bytes, checksum: hash.digest() };
    } catch (error) {
      // Stores wrap the errors of their source; `readFailure` keeps the original error.
      throw readFailure.error ?? new Unavailable('The store cannot take the file', { cause: error });
    }
  }

  private publicContent(mime: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return mime === SVG ? this.svgSanitizer.sanitize(bytes) : stripLocation(mime, bytes);
  }
}

/** Opens the file on the first read, since a store that fails before it reads would leave the file open. */
async function* readLazily(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

async function* hashWhileReading(
  source: AsyncIterable<Uint8Array>,
  hash: Hash,
  readFailure: { error?: UnreadableFile },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (isUnreadableFile(error)) readFailure.error = error;
    throw error;
  }
}

async function readHead({ path, size }: ReceivedFile, maxBytes: number): Promise<Uint8Array> {
  const head = Buffer.alloc(Math.min(size, maxBytes));
  const file = await open(path, 'r');
  try {
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

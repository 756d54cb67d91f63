import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  fileType,
  IMAGE_TOO_LARGE,
  imageFacts,
  isHeldWhole,
  isUnreadableFile,
  kindOf,
  UNSUPPORTED_TYPE,
  withoutPlace,
  type FileKind,
  type Size,
  type UnreadableFile,
} from '@back-office/media';
import { harmlessSvg, svgSize } from '@back-office/svg-saxes';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import { Unavailable } from '../http/errors.js';
import type { ReceivedFile } from '../http/multipart.js';
import type { Library } from './library.js';
import type { Blobs, Receipt, TypeOrmMediaReceipts } from './typeorm-media-receipts.js';

/** What a file is by its content. */
export interface FileFacts {
  readonly mime: string;
  readonly kind: FileKind;
  /** Of an image, as it is looked at. */
  readonly size: Size | undefined;
}

/** A file whose bytes are in the store, and known to nobody yet but its receipt. */
export interface TakenFile extends FileFacts {
  readonly receipt: Receipt;
  /** Of what the public is to see. */
  readonly bytes: number;
  readonly checksum: Buffer;
}

const SVG = 'image/svg+xml';
/** An image whose header lies behind so much of other things is none that anybody needs. */
const LARGEST_HEADER = 32 * 2 ** 20;

/** Files that are held in memory as a whole at the same time, each up to 32 MB. */
const HELD_AT_ONCE = 2;

export class ContentIntake {
  private readonly held = pLimit(HELD_AT_ONCE);

  constructor(
    private readonly library: Library,
    private readonly receipts: TypeOrmMediaReceipts,
    private readonly pixelLimit: number,
  ) {}

  /** Brings a received file into the store, without the place where it was made; the raw upload of an image is kept beside it. */
  async take(app: { readonly id: number; readonly prefix: string }, file: ReceivedFile): Promise<TakenFile | Refusal> {
    const facts = await this.factsOf(file);
    if (isRefusal(facts)) return facts;
    const receipt = await this.receipts.begin(app, facts.kind === 'image');
    try {
      const store = () => this.stored(file, facts.mime, receipt);
      return { ...facts, receipt, ...(await (isHeldWhole(facts.mime) ? this.held(store) : store())) };
    } catch (error) {
      await this.abandon(receipt);
      if (isUnreadableFile(error)) return UNSUPPORTED_TYPE;
      throw error;
    }
  }

  /** Lets go of what nobody is going to need. Should that fail, it is swept away later. */
  async abandon(receipt: Receipt): Promise<void> {
    await this.receipts.end(receipt).catch(() => {});
  }

  private async factsOf(file: ReceivedFile): Promise<FileFacts | Refusal> {
    const mime = fileType(file.head, file.name);
    const kind = mime === undefined ? undefined : kindOf(mime);
    if (mime === undefined || kind === undefined) return UNSUPPORTED_TYPE;
    if (kind === 'vector') return { mime, kind, size: svgSize(file.head) };
    if (kind !== 'image') return { mime, kind, size: undefined };
    const facts =
      imageFacts(mime, file.head) ??
      (await this.held(async () => imageFacts(mime, await headOf(file, LARGEST_HEADER))));
    if (facts === undefined) return UNSUPPORTED_TYPE;
    const { width, height } = facts;
    return width * height > this.pixelLimit ? IMAGE_TOO_LARGE : { mime, kind, size: { width, height } };
  }

  private async stored(
    { path }: ReceivedFile,
    mime: string,
    { content, original }: Blobs,
  ): Promise<{ readonly bytes: number; readonly checksum: Buffer }> {
    const { store } = this.library;
    const hash = createHash('sha256');
    const unreadable: { error?: UnreadableFile } = {};
    try {
      const bytes = await store.put(content, watched(publicContent(mime, contentOf(path)), hash, unreadable), mime);
      if (original !== null) await store.put(original, contentOf(path), mime);
      return { bytes, checksum: hash.digest() };
    } catch (error) {
      // Stores wrap what their source has thrown.
      throw unreadable.error ?? new Unavailable('The store cannot take the file', { cause: error });
    }
  }
}

/** Opened only when somebody reads it: a store that refuses a file never does, and would leave it open. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

/** What the public may see of a file: no place where it was made, and nothing that a browser would run. */
function publicContent(mime: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return mime === SVG ? harmlessSvg(bytes) : withoutPlace(mime, bytes);
}

async function* watched(
  source: AsyncIterable<Uint8Array>,
  hash: Hash,
  unreadable: { error?: UnreadableFile },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (isUnreadableFile(error)) unreadable.error = error;
    throw error;
  }
}

async function headOf({ path, size }: ReceivedFile, most: number): Promise<Uint8Array> {
  const head = Buffer.alloc(Math.min(size, most));
  const file = await open(path, 'r');
  try {
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

import { isRefusal, type Refusal } from '@back-office/kernel';
import type {
  MediaApp,
  ParsedUpload,
  Receipt,
  ReceivedContent,
  UploadParser,
  UploadReceipts,
} from '@back-office/media';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Unavailable } from '../../http/errors.js';
import type { ReceivedFile } from '../../http/multipart.js';
import type { Library } from '../library.js';

export class ContentIntake {
  constructor(
    private readonly library: Library,
    private readonly parser: UploadParser,
    private readonly receipts: UploadReceipts,
    private readonly pixelLimit: number,
  ) {}

  /** Stores the content without location metadata. Keeps the unchanged original of an image in a second blob. */
  async receive(app: MediaApp, file: ReceivedFile): Promise<ReceivedContent | Refusal> {
    const upload = await this.parse(app, file);
    if (isRefusal(upload)) return upload;
    const { stripped, ...facts } = upload;
    try {
      const receipt = await this.receipts.begin(app, facts.kind === 'image');
      await this.writeBlobs(file, upload, receipt).catch(async (error: unknown) => {
        await this.abandon(receipt);
        throw error;
      });
      const bytes = stripped?.bytes ?? file.size;
      return { ...facts, receipt, bytes, checksum: stripped?.checksum ?? Buffer.from(file.hash, 'hex') };
    } finally {
      // Stale uploads are removed regularly, so a failed removal is harmless.
      if (stripped) await rm(stripped.path, { force: true }).catch(() => {});
    }
  }

  /** Ends an unused receipt. Ignores errors, because the sweep removes the blobs of unused receipts. */
  async abandon(receipt: Receipt): Promise<void> {
    await this.receipts.end(receipt).catch(() => {});
  }

  private async parse(app: MediaApp, { path, name, size }: ReceivedFile): Promise<ParsedUpload | Refusal> {
    try {
      return await this.parser.parse(app.id, { path, name, size, pixelLimit: this.pixelLimit });
    } catch (error) {
      throw new Unavailable('The file cannot be parsed now', { cause: error });
    }
  }

  private async writeBlobs({ path }: ReceivedFile, { mime, stripped }: ParsedUpload, receipt: Receipt): Promise<void> {
    const { store } = this.library;
    const { content, original } = receipt;
    try {
      await store.put(content, readLazily(stripped?.path ?? path), mime);
      if (original !== null) await store.put(original, readLazily(path), mime);
    } catch (error) {
      throw new Unavailable('The store cannot take the file', { cause: error });
    }
  }
}

/** Opens the file on the first read. A store that fails before reading would otherwise leave the file open. */
async function* readLazily(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}

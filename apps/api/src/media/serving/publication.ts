import { isProcessed, type ProcessedFiles } from '@back-office/media';
import type { Library } from '../library.js';
import type { PublicCopies } from './public-copies.js';

export interface PublishedFile {
  readonly id: number;
  readonly version: number;
  /** Public keys with new content. */
  readonly keys: readonly string[];
  readonly mime: string;
  /** JSON text. */
  readonly data: string;
}

/** Publishes a stored file before its call is answered, in stores that serve files themselves. */
export class Publication {
  constructor(
    private readonly library: Library,
    private readonly copies: PublicCopies,
    private readonly processed: ProcessedFiles,
  ) {}

  /** Returns the file as JSON text. A job follows when the store fails. */
  async publish(appId: number, { id, version, keys, mime, data }: PublishedFile): Promise<string> {
    if (!this.library.isPublished) return data;
    try {
      await this.copies.settle(appId, keys);
      return (isProcessed(mime) ? undefined : await this.processed.finish(appId, id, version)) ?? data;
    } catch {
      return data;
    }
  }
}

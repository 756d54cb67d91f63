import { isProcessed, type ProcessedFiles } from '@back-office/media';
import type { Library } from '../library.js';
import type { PublicCopies } from './public-copies.js';

export interface PublishedFile {
  readonly id: number;
  readonly version: number;
  /** Public keys with new content. */
  readonly keys: readonly string[];
  readonly mime: string;
  /** The file as JSON text. */
  readonly data: string;
}

/** Publishes a stored file before the response is sent, in stores that serve files directly. */
export class Publication {
  constructor(
    private readonly library: Library,
    private readonly copies: PublicCopies,
    private readonly processed: ProcessedFiles,
  ) {}

  /** Returns the file as JSON text. When the store fails, a job publishes the file later. */
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

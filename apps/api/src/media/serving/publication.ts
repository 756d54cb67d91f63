import { isProcessed, type ProcessedFiles } from '@back-office/media';
import type { Library } from '../library.js';
import type { PublicCopies } from './public-copies.js';

export interface PublishedFile {
  readonly id: number;
  readonly version: number;
  readonly keys: readonly string[];
  readonly mime: string;
  readonly data: string;
}

export class Publication {
  constructor(
    private readonly library: Library,
    private readonly copies: PublicCopies,
    private readonly processedFiles: ProcessedFiles,
  ) {}

  /** Publishes the file and returns it as JSON text. If the store fails, a job publishes the file later. */
  async publish(appId: number, { id, version, keys, mime, data }: PublishedFile): Promise<string> {
    if (!this.library.isPublished) return data;
    try {
      await this.copies.sync(appId, keys);
      return (isProcessed(mime) ? undefined : await this.processedFiles.finish(appId, id, version)) ?? data;
    } catch {
      return data;
    }
  }
}

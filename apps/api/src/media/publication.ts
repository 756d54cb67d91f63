import { isProcessed } from '@back-office/media';
import type { Library } from './library.js';
import type { PublicCopies } from './public-copies.js';
import type { TypeOrmProcessedFiles } from './typeorm-processed-files.js';

/** Whether a file is pending until a job is done with it. Where the store serves files, each waits for its public copy. */
export function isDoneLater({ isPublished }: Pick<Library, 'isPublished'>, mime: string): boolean {
  return isPublished || isProcessed(mime);
}

/** A file that a call has stored. */
export interface Stored {
  readonly id: number;
  readonly version: number;
  /** Public keys that stand for something else now. */
  readonly keys: readonly string[];
  readonly mime: string;
  /** As JSON text. */
  readonly data: string;
}

/** Publishes what a call has stored before the call is answered, in stores that serve files themselves. */
export class Publication {
  constructor(
    private readonly library: Library,
    private readonly copies: PublicCopies,
    private readonly processed: TypeOrmProcessedFiles,
  ) {}

  /** Answers the file as JSON text, done where nothing else is left to do. Should the store be gone, a job follows. */
  async publish(appId: number, { id, version, keys, mime, data }: Stored): Promise<string> {
    if (!this.library.isPublished) return data;
    try {
      await this.copies.settle(appId, keys);
      return (isProcessed(mime) ? undefined : await this.processed.finish(appId, id, version)) ?? data;
    } catch {
      return data;
    }
  }
}

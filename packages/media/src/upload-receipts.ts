import { addHours } from '@back-office/kernel';
import type { Size } from './presets.js';
import type { FileKind } from './types.js';

/** An app as owner of files. */
export interface MediaApp {
  readonly id: number;
  /** First segment of every key of the app. */
  readonly prefix: string;
}

/** Store keys of a file's content. */
export interface Blobs {
  readonly content: string;
  /** The raw upload; null unless it is kept. */
  readonly original: string | null;
}

/** The names of all these bytes. */
export function namesOfBlobs(all: readonly Blobs[]): string[] {
  return all.flatMap(({ content, original }) => (original === null ? [content] : [content, original]));
}

const STALE_HOURS = 1;

/** An upload that began before this moment has died. */
export function staleReceiptsBefore(now: Date): Date {
  return addHours(now, -STALE_HOURS);
}

/** Record of an upload in progress. It names the bytes to remove when the upload dies. */
export interface Receipt extends Blobs {
  readonly appId: number;
  readonly id: number;
}

/** Facts of a file, read from its content. */
export interface FileFacts {
  readonly mime: string;
  readonly kind: FileKind;
  /** Size of an image or vector as displayed. */
  readonly size: Size | undefined;
}

/** Stored content that belongs to a receipt, not to a file. */
export interface ReceivedContent extends FileFacts {
  readonly receipt: Receipt;
  /** Size of the public content in bytes. */
  readonly bytes: number;
  readonly checksum: Uint8Array;
}

/** Uploads in progress, invisible to all other calls. */
export interface UploadReceipts {
  /** Records an upload under unique store keys. */
  begin(app: MediaApp, keepsOriginal: boolean): Promise<Receipt>;
  /** Deletes a receipt and queues the removal of its bytes. No effect when it is gone or has become a file. */
  end(receipt: Pick<Receipt, 'appId' | 'id'>): Promise<void>;
  /** Ends a batch of receipts of dead uploads; true when there may be more. */
  sweep(): Promise<boolean>;
}

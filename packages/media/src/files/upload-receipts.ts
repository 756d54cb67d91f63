import { addHours } from '@back-office/kernel';
import type { Size } from '../processing/presets.js';
import type { FileKind } from './types.js';

export interface MediaApp {
  readonly id: number;
  /** First segment of every key of the app. */
  readonly prefix: string;
}

/** Store keys of a file's content. */
export interface Blobs {
  readonly content: string;
  /** The uploaded bytes; null unless they are kept. */
  readonly original: string | null;
}

export function blobKeysOf(blobs: readonly Blobs[]): string[] {
  return blobs.flatMap(({ content, original }) => (original === null ? [content] : [content, original]));
}

const STALE_HOURS = 1;

/** An unfinished upload is considered dead if it started before the returned time. */
export function staleReceiptsBefore(now: Date): Date {
  return addHours(now, -STALE_HOURS);
}

/** Record of an upload in progress. If the upload dies, the record lists the bytes to remove. */
export interface Receipt extends Blobs {
  readonly appId: number;
  readonly id: number;
}

export interface FileFacts {
  readonly mime: string;
  readonly kind: FileKind;
  /** Displayed size of an image or vector. */
  readonly size: Size | undefined;
}

export interface ReceivedContent extends FileFacts {
  readonly receipt: Receipt;
  readonly bytes: number;
  readonly checksum: Uint8Array;
}

/** Only the call that uploads a file sees the file before the upload has ended. */
export interface UploadReceipts {
  /** Records an upload and assigns it unique store keys. */
  begin(app: MediaApp, keepsOriginal: boolean): Promise<Receipt>;
  /**
   * Deletes a receipt and queues the removal of its bytes. Has no effect when the receipt is missing or has become a
   * file.
   */
  end(receipt: Pick<Receipt, 'appId' | 'id'>): Promise<void>;
  /** Ends a batch of receipts of dead uploads; returns true when more may remain. */
  sweep(): Promise<boolean>;
}

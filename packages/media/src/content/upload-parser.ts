import type { Refusal } from '@back-office/kernel';
import type { ImageFacts } from '../processing/image-processor.js';
import type { FileFacts } from '../files/upload-receipts.js';

export interface UploadToParse {
  /** Path of the uploaded file. The parser may create other files whose path starts with this path. */
  readonly path: string;
  /** File name from the client; untrusted. */
  readonly name: string;
  readonly size: number;
  /** An image with more pixels is refused. */
  readonly pixelLimit: number;
}

/** The upload without location metadata. The caller deletes the file. */
export interface StrippedUpload {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the stripped file. */
  readonly checksum: Uint8Array;
}

export interface ParsedUpload extends FileFacts {
  /** Is `undefined` when the upload is published unchanged. */
  readonly stripped: StrippedUpload | undefined;
}

/** Parses untrusted bytes outside the thread of the caller. */
export interface UploadParser {
  /**
   * Reads the facts of an upload and strips its location metadata. Refuses an upload that is unreadable or exceeds the
   * limits of CPU time or memory. Throws when the disk or the parser fails.
   */
  parse(appId: number, upload: UploadToParse): Promise<ParsedUpload | Refusal>;
  /**
   * Reads the facts of a stored image. `name` and `mime` are used when the bytes do not reveal the type. Returns
   * `undefined` for an unreadable image. Throws when the parser fails.
   */
  readImageFacts(appId: number, image: StoredImage): Promise<ImageFacts | undefined>;
  close(): Promise<void>;
}

export interface StoredImage {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly mime: string;
}

import type { Refusal } from '@back-office/kernel';
import type { FileFacts, ImageFacts, StoredImage, StrippedUpload, UploadToParse } from '@back-office/media';

export interface ParseTask extends UploadToParse {
  readonly kind: 'parse';
  /** Path of a new file for the stripped upload. */
  readonly target: string;
}

export interface ImageTask extends StoredImage {
  readonly kind: 'image';
}

export type ParserTask = ParseTask | ImageTask;

export interface ParsedFile extends FileFacts {
  readonly stripped: Omit<StrippedUpload, 'path'> | undefined;
}

export type ParserReply =
  | { readonly parsed: ParsedFile | Refusal }
  | { readonly facts: ImageFacts | undefined }
  | { readonly failure: string };

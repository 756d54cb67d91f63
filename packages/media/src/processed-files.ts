import type { OutputFormat, PlannedRendition } from './presets.js';

/** A file and its preset, as processing needs them. */
export interface FileToProcess {
  readonly id: number;
  readonly key: string;
  readonly prefix: string;
  readonly mime: string;
  readonly kind: string;
  readonly size: number;
  readonly version: number;
  readonly content: string;
  readonly original: string | null;
  readonly processing: 'pending' | 'done' | 'failed';
  readonly outputFormat: OutputFormat;
  readonly maxWidth: number;
  readonly quality: number;
  readonly renditionWidths: readonly number[];
}

/** An object that processing has stored. */
export interface ProcessedObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  readonly width: number;
  readonly height: number;
}

/** Outputs of processing a file. */
export interface ProcessingResult {
  /** The new public content; `undefined` when the old one stays. */
  readonly main: (ProcessedObject & { readonly checksum: Uint8Array }) | undefined;
  /** Size when the content stays; null keeps the recorded value. */
  readonly width: number | null;
  readonly height: number | null;
  readonly renditions: readonly (ProcessedObject & {
    readonly key: string;
    readonly label: PlannedRendition['label'];
  })[];
  /** Whether other renditions of the file are removed. */
  readonly replacesRenditions: boolean;
  readonly pages: readonly (ProcessedObject & { readonly key: string; readonly page: number })[];
}

/**
 * Results of processing. Each is recorded first, then its public copies are made from the records, then it is listed and
 * the file is done. Every step can be repeated.
 */
export interface ProcessedFiles {
  /** Returns the public keys to copy to; false, without recording, when the content has changed or the file is gone. */
  record(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false>;
  /**
   * Lists the recorded result, drops what it replaces and finishes the file. Returns the public keys without an object
   * now; false when the content has changed or the file is gone.
   */
  list(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false>;
  /** Fails a pending file, which stays as uploaded. No effect on another version or a finished file. */
  fail(appId: number, fileId: number, version: number): Promise<void>;
  /** Finishes a file that only had to be published. Returns its JSON text; `undefined` for another version or a finished file. */
  finish(appId: number, fileId: number, version: number): Promise<string | undefined>;
  /** Retries jobs that have given up, and fails the files that have waited for a lost job since `before`. */
  revive(before: Date): Promise<void>;
}

export interface ProcessedFileQueries {
  /** `undefined` for a missing file. */
  find(appId: number, fileId: number): Promise<FileToProcess | undefined>;
  /** Public keys of all renditions and pages of a file. */
  derivedKeys(appId: number, fileId: number): Promise<string[]>;
}

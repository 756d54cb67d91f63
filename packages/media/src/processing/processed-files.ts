import type { OutputFormat, PlannedRendition } from './presets.js';

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
  /** Widths of renditions that were listed, but do not exist for this version. */
  readonly keptWidths: readonly number[];
}

export interface ProcessedObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  readonly width: number;
  readonly height: number;
}

export interface ProcessingResult {
  /** New public content; `undefined` if the content does not change. */
  readonly main: (ProcessedObject & { readonly checksum: Uint8Array }) | undefined;
  /** Size of content that does not change; null keeps the recorded value. */
  readonly width: number | null;
  readonly height: number | null;
  readonly renditions: readonly (ProcessedObject & {
    readonly key: string;
    readonly label: PlannedRendition['label'];
  })[];
  /** True if the renditions of this result replace all other renditions of the file. */
  readonly replacesRenditions: boolean;
  readonly pages: readonly (ProcessedObject & { readonly key: string; readonly page: number })[];
}

/**
 * Processing takes three steps: record the result, copy the recorded objects to their public keys, then list the result
 * and finish the file. Every step can be repeated.
 */
export interface ProcessedFiles {
  /**
   * Returns the public keys to which objects must be copied. Returns false and records nothing when the content has
   * changed or the file is missing.
   */
  record(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false>;
  /**
   * Lists the recorded result, drops the replaced objects and finishes the file. Returns the public keys of dropped
   * objects; those of renditions now have the content of the file. Returns false when the content has changed or the
   * file is missing.
   */
  list(appId: number, file: FileToProcess, result: ProcessingResult): Promise<readonly string[] | false>;
  /**
   * Marks a pending file as failed; the file stays as uploaded. Has no effect if the file now has another version or is
   * finished.
   */
  fail(appId: number, fileId: number, version: number): Promise<void>;
  /**
   * Finishes a file that needed only a public copy, and returns its JSON text. Returns `undefined` if the file now has
   * another version or is finished.
   */
  finish(appId: number, fileId: number, version: number): Promise<string | undefined>;
  /**
   * Retries jobs that have used all attempts. Marks a file as failed if it has no job and was last changed before this
   * time.
   */
  revive(before: Date): Promise<void>;
}

export interface ProcessedFileQueries {
  /** Returns `undefined` for a missing file. */
  find(appId: number, fileId: number): Promise<FileToProcess | undefined>;
  derivedKeys(appId: number, fileId: number): Promise<string[]>;
}

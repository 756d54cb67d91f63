import type { Refusal } from '@back-office/kernel';
import type { ReceivedContent } from './upload-receipts.js';

export interface ChangedFile {
  readonly id: number;
  readonly key: string;
  readonly version: number;
  readonly mime: string;
  readonly keys: readonly string[];
  /** Receipt of the new content; `undefined` after a revert. */
  readonly receiptId: number | undefined;
  readonly data: string;
}

export interface ChangeTerms {
  /** The previous content is kept for this many days. */
  readonly retentionDays: number;
  /** True when caches must drop the previous content. */
  readonly isPurged: boolean;
}

/**
 * Methods return `undefined` for a missing file and a refusal for a file in Trash. A repeated call with the same
 * idempotency key changes nothing and returns the current file.
 */
export interface FileVersions {
  /**
   * Replaces the content, keeps the previous content as a version and queues processing. Throws when the receipt no
   * longer exists.
   */
  replace(
    appId: number,
    fileId: number,
    content: ReceivedContent,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined>;
  /** Makes a kept version the new content; by default, the latest one. Refuses a version that is not kept. */
  revert(
    appId: number,
    fileId: number,
    version: number | undefined,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined>;
  /** Removes a kept version immediately, even of a file in Trash. Refuses a version that is not kept. */
  purge(appId: number, fileId: number, version: number): Promise<Refusal | true | undefined>;
  /** Queues new renditions of these widths; by default, of the preset's widths. */
  regenerate(appId: number, fileId: number, widths: readonly number[] | undefined): Promise<Refusal | true | undefined>;
  /** Removes a batch of expired versions of each app; returns their number, which is 0 when none is left. */
  expire(): Promise<number>;
}

export interface FileVersionQueries {
  /** Returns the kept versions, latest first, as JSON text in the format of the API; `undefined` for a missing file. */
  list(appId: number, fileId: number): Promise<string | undefined>;
  /**
   * Returns true when the content can be replaced, `undefined` for a missing file, or a refusal for a file in Trash.
   */
  checkReplaceable(appId: number, fileId: number): Promise<Refusal | true | undefined>;
}

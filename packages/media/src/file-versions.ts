import type { Refusal } from '@back-office/kernel';
import type { ReceivedContent } from './upload-receipts.js';

/** A file after its content has changed. */
export interface ChangedFile {
  readonly id: number;
  readonly key: string;
  readonly version: number;
  readonly mime: string;
  /** Public keys with other content now. */
  readonly keys: readonly string[];
  /** Receipt of the new content; `undefined` after a revert. */
  readonly receiptId: number | undefined;
  /** JSON text of the file after this change. */
  readonly data: string;
}

export interface ChangeTerms {
  /** Days for which the previous content is kept. */
  readonly retentionDays: number;
  /** Whether the previous content is purged from caches. */
  readonly isPurged: boolean;
}

/**
 * Versions of files. Methods return `undefined` for a missing file and a refusal for one in Trash. A repeated keyed call
 * changes nothing and returns the current file.
 */
export interface FileVersions {
  /** Replaces the content, keeps the previous one and queues processing. Throws when the receipt is gone. */
  replace(
    appId: number,
    fileId: number,
    content: ReceivedContent,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined>;
  /** Restores a kept version, by default the latest, as a new version. Refused when it is not kept. */
  revert(
    appId: number,
    fileId: number,
    version: number | undefined,
    terms: ChangeTerms,
  ): Promise<ChangedFile | Refusal | undefined>;
  /** Queues new renditions of these widths, by default those of the preset. */
  regenerate(appId: number, fileId: number, widths: readonly number[] | undefined): Promise<Refusal | true | undefined>;
  /** Removes a batch of expired versions of each app; returns their number, 0 when none is left. */
  expire(): Promise<number>;
}

export interface FileVersionQueries {
  /** JSON text of the kept versions as the API presents them, latest first; `undefined` for a missing file. */
  list(appId: number, fileId: number): Promise<string | undefined>;
  /** `true` when the content can be replaced, `undefined` for a missing file, a refusal for one in Trash. */
  checkReplaceable(appId: number, fileId: number): Promise<Refusal | true | undefined>;
}

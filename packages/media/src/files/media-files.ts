import type { ListedPage, Page, Refusal, Sorting } from '@back-office/kernel';
import type { FolderPath } from '../folders/folders.js';
import type { FileKind } from './types.js';
import type { MediaApp, ReceivedContent } from './upload-receipts.js';

export interface NewFile {
  readonly name: string;
  readonly folder: FolderPath;
  readonly onConflict: 'error' | 'rename';
  /** The default is the app's default preset. */
  readonly presetId: number | undefined;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly source: string | null;
}

/** An `undefined` field does not change. */
export interface FileEdit {
  readonly name?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly caption?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly hidden?: boolean | undefined;
  readonly hiddenNote?: string | null | undefined;
}

export function searchedText(file: {
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
}): string {
  return [file.filename, file.alt ?? '', file.caption ?? '', ...file.tags].join(' ');
}

export const MAX_LISTED_PDFS = 100;

export interface StoredFile {
  readonly id: number;
  readonly key: string;
  /** JSON text of the file in the format of the API. */
  readonly data: string;
}

/** Methods treat a file of another app, or a file that is still being received, as missing. */
export interface MediaFiles {
  /**
   * Creates a file under a free key, creates missing folders and queues processing. Refuses an unknown preset and, with
   * `onConflict: 'error'`, a taken name; a refused upload keeps its receipt. Throws when the receipt no longer exists.
   * A repeated keyed call stores nothing and returns the current file.
   */
  store(app: MediaApp, content: ReceivedContent, file: NewFile): Promise<StoredFile | Refusal>;
  /** Returns JSON text of the file without its URL. Refuses a missing or trashed file and a taken name. */
  edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal>;
  /** Hides files that have been unused for longer than the setting of their app; returns their number. */
  hideUnused(): Promise<number>;
}

export const FILE_SORT_FIELDS = ['name', 'size', 'inserted_at', 'last_modified'] as const;
export const TRASH_SORT_FIELDS = [...FILE_SORT_FIELDS, 'deleted_at', 'purge_at'] as const;

/** An `undefined` field does not filter. */
export interface FileFilter {
  /** Selects files directly in this folder, not below it. */
  readonly folder: FolderPath | undefined;
  /**
   * Matches name, alt text, caption and tags, ignoring case, accents and script. A text without letters matches no
   * file.
   */
  readonly search: string | undefined;
  readonly kind: FileKind | undefined;
  /** Selects files that have no usages and were last changed before this time. */
  readonly unusedBefore: Date | undefined;
  readonly noAlt: boolean;
  /** In bytes. */
  readonly minSize: number | undefined;
  /** Minimum time of the latest change of the content. */
  readonly since: Date | undefined;
  readonly hidden: 'left out' | 'included' | 'only';
}

/** Each method returns JSON text in the format of the API. */
export interface MediaFileQueries {
  /** Returns a file, even from Trash; `undefined` for a missing file. */
  find(appId: number, id: number): Promise<string | undefined>;
  /** Returns the id of the app's file with this key, even from Trash; `undefined` for a missing file. */
  findId(appId: number, key: string): Promise<number | undefined>;
  /** Returns the app's files with these ids, even from Trash, as objects by id. */
  findAll(appId: number, ids: readonly number[]): Promise<ReadonlyMap<number, object>>;
  /** Returns one page, the total and the number of hidden files. The default order is by name. */
  list(appId: number, filter: FileFilter, sorting: Sorting | undefined, page: Page): Promise<ListedPage>;
  /** Returns one page of Trash and the total. By default, the last deleted file comes first. */
  trash(appId: number, search: string | undefined, sorting: Sorting | undefined, page: Page): Promise<ListedPage>;
  /** Returns the number and bytes of files by kind, and of files in Trash. */
  summary(appId: number): Promise<string>;
  /**
   * Returns the first PDFs with rendered pages, sorted by name. `name` filters by any text of the file, not only its
   * name.
   */
  pdfRenders(appId: number, name: string | undefined): Promise<string>;
}

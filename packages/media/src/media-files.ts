import type { Page, Refusal, Sorting } from '@back-office/kernel';
import type { FolderPath } from './folders.js';
import type { FileKind } from './types.js';
import type { MediaApp, ReceivedContent } from './upload-receipts.js';

/** Fields of an upload. */
export interface NewFile {
  readonly name: string;
  readonly folder: FolderPath;
  readonly onConflict: 'error' | 'rename';
  /** The app's default preset when undefined. */
  readonly presetId: number | undefined;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly source: string | null;
}

/** A field that is `undefined` keeps its value. */
export interface FileEdit {
  readonly name?: string | undefined;
  readonly alt?: string | null | undefined;
  readonly caption?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly hidden?: boolean | undefined;
  readonly hiddenNote?: string | null | undefined;
}

/** What a search looks through, not folded yet. */
export function searchedText(file: {
  readonly filename: string;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly tags: readonly string[];
}): string {
  return [file.filename, file.alt ?? '', file.caption ?? '', ...file.tags].join(' ');
}

/** At most so many PDFs are listed with their pages. */
export const MAX_LISTED_PDFS = 100;

export interface StoredFile {
  readonly id: number;
  readonly key: string;
  /** JSON text of the file as the API presents it. */
  readonly data: string;
}

/** Files of apps. A file of another app, or one that is still being received, counts as missing. */
export interface MediaFiles {
  /**
   * Creates a file with a free key, creates missing folders and queues processing. Refused, keeping the receipt: an
   * unknown preset, a taken name with `onConflict: 'error'`. Throws when the receipt is gone. A repeated keyed call
   * stores nothing and returns the current file.
   */
  store(app: MediaApp, content: ReceivedContent, file: NewFile): Promise<StoredFile | Refusal>;
  /** Returns JSON text of the file without its URL. Refused: a missing or trashed file, a taken name. */
  edit(appId: number, id: number, edit: FileEdit): Promise<string | Refusal>;
  /** Hides files unused for as long as their app's settings say; returns their number. */
  hideUnused(): Promise<number>;
}

/** Sort fields of lists of files. */
export const FILE_SORT_FIELDS = ['name', 'size', 'inserted_at', 'last_modified'] as const;
/** Sort fields of the Trash list. */
export const TRASH_SORT_FIELDS = [...FILE_SORT_FIELDS, 'deleted_at', 'purge_at'] as const;

/** Filters a list of files; `undefined` does not filter. */
export interface FileFilter {
  /** Files directly in this folder. */
  readonly folder: FolderPath | undefined;
  /** In name, alt text, caption and tags, ignoring case, accents and script. Text without letters matches nothing. */
  readonly search: string | undefined;
  readonly kind: FileKind | undefined;
  /** Without usages and last changed before this time. */
  readonly unusedBefore: Date | undefined;
  /** Images without alt text only. */
  readonly noAlt: boolean;
  /** Bytes. */
  readonly minSize: number | undefined;
  /** Content written at or after this time. */
  readonly since: Date | undefined;
  readonly hidden: 'left out' | 'included' | 'only';
}

/** Each method returns JSON text as the API presents it. */
export interface MediaFileQueries {
  /** A file, also in Trash; `undefined` when missing. */
  find(appId: number, id: number): Promise<string | undefined>;
  /** One page, the total and the number of hidden files; by name unless sorted otherwise. */
  list(appId: number, filter: FileFilter, sorting: Sorting | undefined, page: Page): Promise<string>;
  /** One page of Trash and the total; last deleted first unless sorted otherwise. */
  trash(appId: number, search: string | undefined, sorting: Sorting | undefined, page: Page): Promise<string>;
  /** Files and bytes by kind, Trash apart. */
  summary(appId: number): Promise<string>;
  /** The first PDFs by name that have rendered pages; `name` matches any text of the file. */
  pdfRenders(appId: number, name: string | undefined): Promise<string>;
}

import type { Blobs, FileKind, FileState, FolderPath, ProcessedObject, OutputFormat } from '@back-office/media';
import type { Stored } from '../memory.js';

export interface ReceiptRecord extends Stored, Blobs {
  readonly state: 'receiving';
  readonly inserted_at: Date;
}

export interface FileRecord extends Stored, Blobs {
  readonly state: Exclude<FileState, 'receiving'>;
  readonly key: string;
  readonly folder: FolderPath;
  readonly filename: string;
  readonly kind: FileKind;
  readonly mime: string;
  readonly size: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly version: number;
  readonly processing: 'pending' | 'done' | 'failed';
  readonly preset_id: number | null;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly source: string | null;
  readonly hidden: boolean;
  readonly hidden_by: string | null;
  readonly hidden_at: Date | null;
  readonly hidden_note: string | null;
  /** The daily job that hides unused files skips a file with this flag. */
  readonly stays_visible: boolean;
  readonly deleted_at: Date | null;
  readonly deleted_by: string | null;
  readonly purge_at: Date | null;
  readonly search_text: string;
  readonly last_modified: Date;
  readonly inserted_at: Date;
}

export interface FolderRecord extends Stored {
  readonly path: FolderPath;
  readonly name: string;
  readonly description: string | null;
}

/** The key of a purged file, which no other file may get. */
export interface PurgedKeyRecord extends Stored {
  readonly hash: string;
}

interface DerivedRecord extends Stored, ProcessedObject {
  readonly file_id: number;
  readonly version: number;
  readonly key: string;
  readonly listed: boolean;
}

export interface RenditionRecord extends DerivedRecord {
  readonly label: string;
}

/** The key of a rendition that a file no longer has. It serves the content of the file. */
export interface RetiredRenditionRecord extends Stored {
  readonly file_id: number;
  readonly label: string;
  readonly key: string;
}

export interface PageRecord extends DerivedRecord {
  readonly page: number;
}

export interface VersionRecord extends Stored, Blobs {
  readonly file_id: number;
  readonly version: number;
  readonly key: string;
  readonly mime: string;
  readonly size: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly inserted_at: Date;
  readonly purge_at: Date;
}

export interface UploadPresetRecord extends Stored {
  readonly name: string;
  readonly output_format: OutputFormat;
  readonly max_width: number;
  readonly quality: number;
  readonly rendition_widths: readonly number[];
  readonly is_default: boolean;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export interface JobRecord extends Stored {
  readonly name: string;
  readonly payload: string;
  /** A new job replaces a waiting job with the same key. */
  readonly key: string | null;
  readonly run_at: Date;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_error: string | null;
  readonly is_running: boolean;
}

/** `seen_at` is the time when the job was last due; initially, the time when the first worker started. */
export interface DailyJobRecord extends Stored {
  readonly name: string;
  readonly seen_at: Date;
}

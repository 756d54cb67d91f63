import type { Size } from './presets.js';

export interface ReadableFile {
  /** Size in bytes. */
  readonly size: number;
  /** Returns fewer bytes at the end of the file. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** Reads facts of a video from a small part of its bytes. */
export interface MediaFacts {
  /**
   * Returns the size of a video as displayed; `undefined` for audio, unreadable files and timeouts. Rejects when `read`
   * rejects.
   */
  sizeOf(file: ReadableFile): Promise<Size | undefined>;
  close(): Promise<void>;
}

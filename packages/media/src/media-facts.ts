import type { Size } from './presets.js';

/** A file with random access. */
export interface ReadableFile {
  /** Bytes. */
  readonly size: number;
  /** Returns fewer bytes at the end of the file. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** Reads facts of a video from a small part of its bytes. */
export interface MediaFacts {
  /** Size of a video as displayed. `undefined` for audio, unreadable files and timeouts; rejects when `read` does. */
  sizeOf(file: ReadableFile): Promise<Size | undefined>;
  close(): Promise<void>;
}

import type { Size } from './presets.js';

export interface ReadableFile {
  readonly size: number;
  /** Returns fewer bytes at the end of the file. */
  read(from: number, length: number): Promise<Uint8Array>;
}

export interface MediaFacts {
  /**
   * Returns the displayed size of a video; `undefined` for audio, an unreadable file or a timeout. Rejects when `read`
   * rejects.
   */
  sizeOf(file: ReadableFile): Promise<Size | undefined>;
  close(): Promise<void>;
}

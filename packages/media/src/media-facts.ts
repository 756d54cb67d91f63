import type { Size } from './presets.js';

/** A file of which stretches are read; fewer bytes than asked for at its end. */
export interface ReadableFile {
  /** In bytes. */
  readonly size: number;
  read(from: number, length: number): Promise<Uint8Array>;
}

/** Reads what a film is, from a small part of its bytes. */
export interface MediaFacts {
  /** The size of a film as it is looked at; `undefined` for sound, and for what cannot be read, or not soon enough. */
  sizeOf(file: ReadableFile): Promise<Size | undefined>;
  close(): Promise<void>;
}

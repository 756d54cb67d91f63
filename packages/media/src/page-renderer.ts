import type { Size } from './presets.js';

export interface RenderedPage extends Size {
  /** Counted from 1. */
  readonly page: number;
  /** A PNG, on white. */
  readonly bytes: Uint8Array;
}

/** Makes images of the pages of a PDF. */
export interface PageRenderer {
  /**
   * The first pages, at most so many, as they are looked at: 150 dots an inch, and never more than 2,000 pixels a side.
   * Each is rendered when it is asked for. Throws `UnreadableFile` for what is no PDF, is broken, or needs a password,
   * and another error when it takes too long or too much memory.
   */
  pages(bytes: Uint8Array, most: number): AsyncIterable<RenderedPage>;
  close(): Promise<void>;
}

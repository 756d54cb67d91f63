import type { Size } from './presets.js';

export interface RenderedPage extends Size {
  /** From 1. */
  readonly page: number;
  /** A PNG, on white. */
  readonly bytes: Uint8Array;
}

/** Renders pages of a PDF as images. */
export interface PageRenderer {
  /**
   * Renders the first pages lazily as displayed: at 150 dpi, at most 2,000 pixels a side. Throws `UnreadableFile` for a
   * file that is no PDF, is broken or needs a password, and another error at a time or memory limit.
   */
  pages(bytes: Uint8Array, maxPages: number): AsyncIterable<RenderedPage>;
  close(): Promise<void>;
}

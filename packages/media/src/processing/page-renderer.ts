import type { Size } from './presets.js';

export interface RenderedPage extends Size {
  /** Starts at 1. */
  readonly page: number;
  /** PNG on a white background. */
  readonly bytes: Uint8Array;
}

export interface PageRenderer {
  /**
   * Renders the first pages as displayed, one at a time: at 150 dpi, at most 2,000 pixels a side. Throws
   * `UnreadableFile` for a file that is no PDF, is broken or needs a password. Throws `CostlyFile` or another error at
   * a limit of time or memory. After such an error, callers try again, except after `CostlyFile`.
   */
  pages(bytes: Uint8Array, maxPages: number): AsyncIterable<RenderedPage>;
  close(): Promise<void>;
}

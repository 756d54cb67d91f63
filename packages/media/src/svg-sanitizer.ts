import type { Size } from './presets.js';

export interface SvgSanitizer {
  /**
   * Returns width and height in pixels, from the first 64 kB of a drawing; `undefined` when the drawing states neither,
   * or the file is no drawing.
   */
  size(head: Uint8Array): Size | undefined;
  /**
   * Yields the drawing without scripts, external references and metadata. Throws `UnreadableFile` for a file that is no
   * drawing or exceeds a limit, possibly after some output; the output must then not be used.
   */
  sanitize(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

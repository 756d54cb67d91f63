import type { Size } from './presets.js';

/** Makes drawings safe to serve. */
export interface SvgSanitizer {
  /**
   * Width and height in pixels, from the first 64 kB of a drawing. `undefined` when it states neither, or is no drawing.
   */
  size(head: Uint8Array): Size | undefined;
  /**
   * Streams the drawing without scripts, external references and metadata. Throws `UnreadableFile` for a file that is no
   * drawing or exceeds a limit, also while streaming; the output must not be used then.
   */
  sanitize(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

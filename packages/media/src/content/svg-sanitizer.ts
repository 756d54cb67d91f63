import type { Size } from '../processing/presets.js';

export interface SvgSanitizer {
  /**
   * Returns width and height in pixels, from the first 64 kB of a drawing. Returns `undefined` when the drawing states
   * no size, or the file is no drawing.
   */
  size(head: Uint8Array): Size | undefined;
  /**
   * Yields the drawing without scripts, external references and metadata. Throws `UnreadableFile` for a file that is no
   * drawing or exceeds a limit. It may throw after some output; callers must then discard the output.
   */
  sanitize(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

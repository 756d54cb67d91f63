import type { Size } from '../processing/presets.js';

/** Facts of the stored pixels, before the EXIF orientation is applied. */
export interface UnrotatedFacts extends Size {
  /** EXIF orientation, 1–8. */
  readonly orientation?: number | undefined;
  readonly animated?: boolean;
  readonly cmyk?: boolean;
}

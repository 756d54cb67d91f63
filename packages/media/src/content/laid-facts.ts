import type { Size } from '../presets.js';

/** What an image is as its pixels are laid, before they are turned. */
export interface LaidFacts extends Size {
  /** As EXIF numbers it, 1–8. */
  readonly orientation?: number | undefined;
  readonly animated?: boolean;
  readonly cmyk?: boolean;
}

import { scaleTo, type OutputFormat, type Size } from './presets.js';

export interface ImageOutput {
  /** Maximum width in pixels; the image keeps its aspect ratio and is never enlarged. */
  readonly width: number;
  readonly format: OutputFormat;
  /** 1–100. */
  readonly quality: number;
}

/** Types of images that the library takes in. JPEG and PNG are the least that a processor can read. */
export type ImageType =
  'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | 'image/avif' | 'image/tiff' | 'image/bmp';

export interface ProcessedImage extends Size {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Facts of an image, read without decoding. Width and height have the orientation applied. */
export interface ImageFacts extends Size {
  /** An {@link ImageType}. */
  readonly mime: string;
  readonly animated: boolean;
  readonly cmyk: boolean;
}

/** Scales and converts images. Its outputs have no metadata. */
export interface ImageProcessor {
  /**
   * Whether such an image can be converted to this format at this width in pixels, by default its own. `original`
   * keeps the type. Other images stay as uploaded.
   */
  can(image: ImageFacts, format: OutputFormat, width?: number): boolean;
  /**
   * Returns one image per output, in their order. Throws {@link UnreadableFile} for a broken image; any other error may
   * be temporary and is retried. Several calls may run at once.
   */
  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]>;
  /** Ends work in progress: its promise may reject, and the file is processed again after the next start. */
  close(): Promise<void>;
}

/** Limit of the longer side in pixels, by the format or its common encoder. */
const MAX_SIDE_PIXELS: Readonly<Record<string, number>> = {
  'image/webp': 16_383,
  'image/avif': 16_384,
  'image/jpeg': 65_535,
  'image/gif': 65_535,
};

/** Whether an image scaled to this width is within the size limit of the type. */
export function fitsType(image: Size, width: number, mime: string): boolean {
  const scaled = scaleTo(width, image);
  return Math.max(scaled.width, scaled.height) <= (MAX_SIDE_PIXELS[mime] ?? Number.POSITIVE_INFINITY);
}

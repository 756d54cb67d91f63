import { scaleTo, type OutputFormat, type Size } from './presets.js';

export interface ImageOutput {
  /** Maximum width in pixels. The image keeps its aspect ratio and is never enlarged. */
  readonly width: number;
  readonly format: OutputFormat;
  /** From 1 to 100. */
  readonly quality: number;
}

/** Image types that the library accepts. Every processor reads at least JPEG and PNG. */
export type ImageType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/gif'
  | 'image/avif'
  | 'image/tiff'
  | 'image/bmp';

export interface ProcessedImage extends Size {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Width and height of the image as displayed, with its EXIF orientation applied. */
export interface ImageFacts extends Size {
  readonly mime: string;
  readonly animated: boolean;
  readonly cmyk: boolean;
}

/** Scales and converts images. The outputs contain no metadata. */
export interface ImageProcessor {
  /**
   * Returns true when the image can be converted to this format and this width in pixels; by default, the image's
   * width. The format `original` keeps the type. An image that cannot be converted stays as uploaded.
   */
  can(image: ImageFacts, format: OutputFormat, width?: number): boolean;
  /**
   * Returns one image per output, in the order of the outputs. Throws `UnreadableFile` for an image that is broken or
   * has too many pixels. Throws `UnsupportedImage` for a variant of the type that the processor does not read correctly,
   * and `CostlyFile` for an image that takes too much CPU time or memory. Callers retry after any other error, which may
   * be temporary. Concurrent calls are allowed. `bytes` are freed after the images are stored, so a processor keeps no
   * reference to them.
   */
  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]>;
  /** Abandons work in progress; its promises may reject. After the next start, the files are processed again. */
  close(): Promise<void>;
}

/** Maximum length of the longer side in pixels, set by the format or by its usual encoder. */
const MAX_SIDE_PIXELS: Readonly<Record<string, number>> = {
  'image/webp': 16_383,
  'image/avif': 16_384,
  'image/jpeg': 65_535,
  'image/gif': 65_535,
};

/** Returns true when the image, scaled to the width, is within the maximum size of the type. */
export function fitsType(image: Size, width: number, mime: string): boolean {
  const scaledSize = scaleTo(width, image);
  return Math.max(scaledSize.width, scaledSize.height) <= (MAX_SIDE_PIXELS[mime] ?? Number.POSITIVE_INFINITY);
}

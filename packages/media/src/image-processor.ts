import { scaledTo, type OutputFormat, type Size } from './presets.js';

export interface ImageOutput {
  /** Pixels; the image is scaled down to it in its shape, never up. */
  readonly width: number;
  readonly format: OutputFormat;
  /** 1–100. */
  readonly quality: number;
}

export interface ProcessedImage extends Size {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** What an image is, read without decoding it. Width and height as it is looked at, orientation applied. */
export interface ImageFacts extends Size {
  readonly mime: string;
  readonly animated: boolean;
  readonly cmyk: boolean;
}

/** Makes smaller images of images. Nothing it makes carries where a photo was taken. */
export interface ImageProcessor {
  /**
   * Whether images like this can be processed at all, and into this format at this width in pixels (their own unless
   * another is named). What cannot stays as it was uploaded.
   */
  can(image: ImageFacts, format: OutputFormat, width?: number): boolean;
  /**
   * Decodes once and answers one image for each output, in their order. Throws {@link UnreadableFile} when the image is
   * broken; any other error says nothing of the image, and the next try may go well.
   */
  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]>;
  close(): Promise<void>;
}

/** Pixels of the longer side that a format has room for, or that its usual encoder writes. */
const LONGEST_SIDES: Readonly<Record<string, number>> = {
  'image/webp': 16_383,
  'image/avif': 16_384,
  'image/jpeg': 65_535,
  'image/gif': 65_535,
};

/** Whether an image that is scaled down to this width has room in a file of this type. */
export function fitsType(image: Size, width: number, mime: string): boolean {
  const { width: wide, height } = scaledTo(width, image);
  return Math.max(wide, height) <= (LONGEST_SIDES[mime] ?? Number.POSITIVE_INFINITY);
}

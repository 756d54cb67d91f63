import type { OutputFormat, Size } from './presets.js';

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
  /** Whether images like this can be processed at all, and into this format. What cannot stays as it was uploaded. */
  can(image: ImageFacts, format: OutputFormat): boolean;
  /** Decodes once and answers one image for each output, in their order; throws when the image is broken. */
  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]>;
  close(): Promise<void>;
}

export const OUTPUT_FORMATS = ['original', 'webp', 'jpeg', 'avif'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface UploadPreset {
  readonly name: string;
  readonly outputFormat: OutputFormat;
  /** Pixels; a wider image is scaled down. */
  readonly maxWidth: number;
  /** From 1 to 100. */
  readonly quality: number;
  readonly renditionWidths: readonly number[];
}

export const DEFAULT_PRESET: UploadPreset = {
  name: 'default',
  outputFormat: 'webp',
  maxWidth: 2_560,
  quality: 82,
  renditionWidths: [320, 640, 1_280],
};

/** Settings for a file without a preset. The file keeps its format; the size limits of images apply. */
export const WITHOUT_PRESET: Omit<UploadPreset, 'name'> = {
  outputFormat: 'original',
  maxWidth: 16_384,
  quality: DEFAULT_PRESET.quality,
  renditionWidths: [],
};

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PlannedRendition extends Size {
  /** The format is `w<width>`. */
  readonly label: string;
}

/** Scales a size down to the width and keeps the aspect ratio; the height is at least one pixel. */
export function scaleTo(width: number, { width: originalWidth, height }: Size): Size {
  if (width >= originalWidth) return { width: originalWidth, height };
  return { width, height: Math.max(1, Math.round((height * width) / originalWidth)) };
}

/**
 * Returns the size of the main image, and the sizes of the renditions, narrowest first. No rendition is wider than the
 * original.
 */
export function planSizes(
  original: Size,
  preset: Pick<UploadPreset, 'maxWidth' | 'renditionWidths'>,
): { readonly main: Size; readonly renditions: readonly PlannedRendition[] } {
  const widths = [...new Set(preset.renditionWidths)].filter((width) => width <= original.width).sort((a, b) => a - b);
  return {
    main: scaleTo(preset.maxWidth, original),
    renditions: widths.map((width) => ({ label: `w${width}`, ...scaleTo(width, original) })),
  };
}

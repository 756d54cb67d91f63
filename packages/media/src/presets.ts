export const OUTPUT_FORMATS = ['original', 'webp', 'jpeg', 'avif'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface UploadPreset {
  readonly name: string;
  readonly outputFormat: OutputFormat;
  /** Pixels; a wider image is scaled down to it. */
  readonly maxWidth: number;
  /** 1–100. */
  readonly quality: number;
  readonly renditionWidths: readonly number[];
}

/** What a new app begins with. */
export const DEFAULT_PRESET: UploadPreset = {
  name: 'default',
  outputFormat: 'webp',
  maxWidth: 2_560,
  quality: 82,
  renditionWidths: [320, 640, 1_280],
};

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface PlannedRendition extends Size {
  /** `w<width>`. */
  readonly label: string;
}

/** The size of an image that is at most so wide: its own, or smaller in the same shape, never below one pixel. */
export function scaledTo(width: number, { width: own, height }: Size): Size {
  if (width >= own) return { width: own, height };
  return { width, height: Math.max(1, Math.round((height * width) / own)) };
}

/** The main image of a file, and its renditions from the narrowest on, none of them larger than the original. */
export function plannedSizes(
  original: Size,
  preset: Pick<UploadPreset, 'maxWidth' | 'renditionWidths'>,
): { readonly main: Size; readonly renditions: readonly PlannedRendition[] } {
  const widths = [...new Set(preset.renditionWidths)].filter((width) => width <= original.width).sort((a, b) => a - b);
  return {
    main: scaledTo(preset.maxWidth, original),
    renditions: widths.map((width) => ({ label: `w${width}`, ...scaledTo(width, original) })),
  };
}

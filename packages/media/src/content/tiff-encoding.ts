import { directoryAt, numbersOf, TAG, tiffHeader } from '../formats/tiff-directory.js';

/** How the first image of a TIFF stores its pixels, in the numbers of the TIFF specification. */
export interface TiffEncoding {
  readonly bitsPerSample: readonly number[];
  /** Is 1 for unsigned integers. */
  readonly sampleFormats: readonly number[];
  readonly extraSamples: readonly number[];
  readonly samples: number;
  readonly photometric: number | undefined;
  readonly compression: number;
  readonly planar: number;
  readonly fillOrder: number;
  readonly orientation: number;
  readonly isTiled: boolean;
}

/** Returns `undefined` when the first directory is outside these bytes. */
export function tiffEncoding(bytes: Uint8Array): TiffEncoding | undefined {
  const header = tiffHeader(bytes);
  const directory = header && directoryAt(bytes, header.firstOffset, header.order);
  if (header === undefined || directory === undefined) return undefined;
  const listOf = (tag: number, defaults: readonly number[]): readonly number[] => {
    const entry = directory.entries.find((candidate) => candidate.tag === tag);
    return entry === undefined ? defaults : [...numbersOf(bytes, entry, header.order)];
  };
  const numberOf = (tag: number, defaultNumber = 1): number => listOf(tag, [defaultNumber])[0] ?? 0;
  return {
    bitsPerSample: listOf(TAG.bits, [1]),
    sampleFormats: listOf(TAG.sampleFormat, [1]),
    extraSamples: listOf(TAG.extraSamples, []),
    samples: numberOf(TAG.samples),
    photometric: listOf(TAG.photometric, [])[0],
    compression: numberOf(TAG.compression),
    planar: numberOf(TAG.planar),
    fillOrder: numberOf(TAG.fillOrder),
    orientation: numberOf(TAG.orientation),
    isTiled: directory.entries.some(({ tag }) => tag === TAG.tileOffsets),
  };
}

import { gifFrames, tiffEncoding, type ImageFacts } from '@back-office/media';

/** Depths, colour models and compressions of TIFF that libvips converts correctly. */
const TIFF_BITS = new Set([1, 2, 4, 8, 16]);
const TIFF_COLOURS = new Set([0, 1, 2, 3, 5]);
const TIFF_COMPRESSIONS = new Set([1, 2, 3, 4, 5, 7, 8, 32_773, 32_946]);
const [YCBCR, JPEG, UNSIGNED] = [6, 7, 1];
const CLEAR_AREA = 2;

/** Returns false for a variant whose pixels libvips would decode without an error, but wrongly. */
export function isSupportedVariant(bytes: Uint8Array, image: ImageFacts): boolean {
  if (image.mime === 'image/tiff') return isSupportedTiff(bytes);
  return image.mime !== 'image/gif' || isSupportedGif(bytes, image);
}

function isSupportedTiff(bytes: Uint8Array): boolean {
  const encoding = tiffEncoding(bytes);
  // The decoder refuses a file without a directory.
  if (encoding === undefined) return true;
  const { bitsPerSample, sampleFormats, photometric = -1, compression } = encoding;
  const hasSupportedColours = TIFF_COLOURS.has(photometric) || (photometric === YCBCR && compression === JPEG);
  return (
    hasSupportedColours &&
    TIFF_COMPRESSIONS.has(compression) &&
    bitsPerSample.every((bits) => TIFF_BITS.has(bits)) &&
    sampleFormats.every((format) => format === UNSIGNED)
  );
}

/** Without transparency, libvips fills uncovered areas with a colour, but browsers leave them transparent. */
function isSupportedGif(bytes: Uint8Array, { width, height }: ImageFacts): boolean {
  const frames = [...gifFrames(bytes)];
  const [first] = frames;
  const coversCanvas = first?.width === width && first.height === height;
  return (
    frames.every((frame) => frame.left + frame.width <= width && frame.top + frame.height <= height) &&
    (coversCanvas || first?.hasTransparency !== false) &&
    frames.slice(0, -1).every(({ disposal, hasTransparency }) => disposal !== CLEAR_AREA || hasTransparency)
  );
}

import { matchesAt, setU16 } from '../formats/octets.js';
import { directoryAt, numberOf, TAG, tiffHeader } from '../formats/tiff-directory.js';

/** Big-endian EXIF of one directory with one tag. */
// prettier-ignore
const ORIENTATION_ONLY = [
  0x4d, 0x4d, 0, 42, 0, 0, 0, 8,
  0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0,
  0, 0, 0, 0,
];
const ORIENTATION_AT = 18;
export const MINIMAL_EXIF_BYTES = ORIENTATION_ONLY.length;

/**
 * Returns the orientation, 1–8; `undefined` when absent or invalid. Accepts EXIF with or without the prefix of JPEG.
 */
export function orientationOf(exif: Uint8Array): number | undefined {
  const tiff = matchesAt(exif, 0, 'Exif\0') ? exif.subarray(6) : exif;
  const header = tiffHeader(tiff);
  const directory = header && directoryAt(tiff, header.firstOffset, header.order);
  const orientation = directory && numberOf(tiff, directory, TAG.orientation, header.order);
  return orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : undefined;
}

export function minimalExif(orientation: number): Uint8Array {
  const exif = Uint8Array.from(ORIENTATION_ONLY);
  setU16(exif, ORIENTATION_AT, orientation);
  return exif;
}

import { reads, setU16 } from '../octets.js';
import { directoryAt, numberOf, TAG, tiffHeader } from '../tiff-directory.js';

/** Big-endian, one directory, one tag. */
// prettier-ignore
const ORIENTATION_ALONE = [
  0x4d, 0x4d, 0, 42, 0, 0, 0, 8,
  0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0,
  0, 0, 0, 0,
];
const VALUE_AT = 18;
export const MINIMAL_EXIF_SIZE = ORIENTATION_ALONE.length;

/** How EXIF says that the image is to be turned, 1–8; with or without the mark that stands before it in a JPEG. */
export function orientationOf(exif: Uint8Array): number | undefined {
  const tiff = reads(exif, 0, 'Exif\0') ? exif.subarray(6) : exif;
  const header = tiffHeader(tiff);
  const directory = header && directoryAt(tiff, header.first, header.order);
  const orientation = directory && numberOf(tiff, directory, TAG.orientation, header.order);
  return orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : undefined;
}

/** EXIF that says nothing but how the image is to be turned. */
export function minimalExif(orientation: number): Uint8Array {
  const exif = Uint8Array.from(ORIENTATION_ALONE);
  setU16(exif, VALUE_AT, orientation);
  return exif;
}

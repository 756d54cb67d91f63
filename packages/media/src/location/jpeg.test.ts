import { bytes, exif, LOCATION, jpegSegment, decodeText, type Part } from '../testing/file-parts.js';
import { jpegSample } from '../testing/index.js';
import { orientationOf } from './exif.js';
import { stripJpeg } from './jpeg.js';
import { stripBytes } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];
const scan = jpegSegment(0xda, [1, 1, 0, 0, 63, 0]);
const stripParts = (...parts: readonly Part[]): string =>
  decodeText(stripBytes(bytes(SOI, ...parts), stripJpeg)).slice(2);

function segmentsOf(file: Uint8Array): [number, string][] {
  const segments: [number, string][] = [];
  for (let at = file.indexOf(0xff, 2); at >= 0; at = file.indexOf(0xff, at)) {
    const marker = file[at + 1]!;
    const size = marker === 0xd9 ? 0 : file[at + 2]! * 256 + file[at + 3]!;
    if (marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8) && marker !== 0xff) {
      segments.push([marker, decodeText(file.subarray(at + 4, at + 2 + size))]);
      at += 2 + size;
    } else at += marker === 0xff ? 1 : 2;
  }
  return segments;
}

describe('stripJpeg', () => {
  const strippedFile = stripBytes(jpegSample(), stripJpeg);

  it('keeps tables, frames, scans, JFIF, Adobe, profile and orientation', () => {
    expect(segmentsOf(strippedFile).map(([marker]) => marker)).toEqual([
      0xe0, 0xe1, 0xe2, 0xee, 0xdb, 0xc2, 0xc4, 0xda, 0xda, 0xd9,
    ]);
  });

  it('removes the JFIF thumbnail and Adobe extensions', () => {
    const [jfif, , icc, adobe] = segmentsOf(strippedFile);
    expect(jfif![1]).toBe('JFIF\0\x01\x02\0\0\x48\0\x48\0\0');
    expect(icc![1]).toBe('ICC_PROFILE\0\x01\x01profile');
    expect(adobe![1]).toBe('Adobe\0d\0\0\0\0\x01');
  });

  it('keeps compressed pixels bit for bit', () => {
    expect(decodeText(strippedFile)).toContain(
      decodeText(bytes(0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd1, 0x78)),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps orientation %d of the first EXIF', (orientation) => {
    const [, exifSegment] = segmentsOf(stripBytes(jpegSample(orientation), stripJpeg));
    expect(orientationOf(bytes(exifSegment![1]))).toBe(orientation);
    expect(exifSegment![1]).toHaveLength(32);
  });

  it.each([
    ['orientation 0', exif(0)],
    ['orientation 9', exif(9)],
    ['no orientation', bytes('II*\0\x08\0\0\0\0\0\0\0\0\0')],
    ['a broken directory', bytes('II*\0\xff\xff\0\0')],
    ['no content', bytes()],
    ['no TIFF header', bytes('nothing of the kind')],
  ])('drops EXIF with %s', (_, content) => {
    expect(stripParts(jpegSegment(0xe1, 'Exif\0\0', content), EOI)).toBe('\xff\xd9');
  });

  it('drops bytes between segments and after the end', () => {
    expect(
      stripParts(
        [0xff, 0xff],
        jpegSegment(0xdb, 'q'),
        LOCATION,
        [0xff, 0x00],
        LOCATION,
        scan,
        'px',
        EOI,
        LOCATION,
        SOI,
      ),
    ).toBe(`${decodeText(jpegSegment(0xdb, 'q'))}${decodeText(scan)}px\xff\xd9`);
  });

  it.each(['JFXX\0', 'JFIF\0short', 'AVI1'])('drops a %j segment', (identifier) => {
    expect(stripParts(jpegSegment(0xe0, identifier, LOCATION.slice(0, 3)), EOI)).toBe('\xff\xd9');
  });

  it.each([0xe3, 0xe4, 0xe8, 0xeb, 0xec, 0xed, 0xef])('drops application segment %d', (marker) => {
    expect(stripParts(jpegSegment(marker, LOCATION), EOI)).toBe('\xff\xd9');
  });

  it('keeps truncated pixels', () => {
    expect(stripParts(scan, 'pixels\xff')).toBe(`${decodeText(scan)}pixels\xff`);
  });

  it.each([
    ['an empty file', bytes()],
    ['half a signature', bytes(0xff)],
    ['another signature', bytes('\x89PNG')],
    ['a second start of image', bytes(SOI, SOI)],
    ['an unknown marker', bytes(SOI, 0xff, 0x02)],
    ['a marker of JPEG-LS', bytes(SOI, jpegSegment(0xf7, 'x'))],
    ['an invalid segment size', bytes(SOI, 0xff, 0xdb, 0, 1)],
  ])('rejects %s', (_, content) => {
    expect(() => stripBytes(content, stripJpeg)).toThrow(UnreadableFile);
  });
});

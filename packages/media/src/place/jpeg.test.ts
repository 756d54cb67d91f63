import { bytes, exif, PLACE, segment, text, type Part } from '../../testing/file-parts.js';
import { jpegSample } from '../../testing/index.js';
import { orientationOf } from './exif.js';
import { jpeg } from './jpeg.js';
import { cut } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];
const scan = segment(0xda, [1, 1, 0, 0, 63, 0]);
const left = (...parts: readonly Part[]): string => text(cut(bytes(SOI, ...parts), jpeg)).slice(2);

/** The markers of a file, and the content of their segments. */
function segmentsOf(file: Uint8Array): [number, string][] {
  const found: [number, string][] = [];
  for (let at = file.indexOf(0xff, 2); at >= 0; at = file.indexOf(0xff, at)) {
    const marker = file[at + 1]!;
    const size = marker === 0xd9 ? 0 : file[at + 2]! * 256 + file[at + 3]!;
    if (marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8) && marker !== 0xff) {
      found.push([marker, text(file.subarray(at + 4, at + 2 + size))]);
      at += 2 + size;
    } else at += marker === 0xff ? 1 : 2;
  }
  return found;
}

describe('of a JPEG', () => {
  const clean = cut(jpegSample(), jpeg);

  it('tables, frames, scans, the marks of JFIF and Adobe, the profile and the orientation stay', () => {
    expect(segmentsOf(clean).map(([marker]) => marker)).toEqual([
      0xe0, 0xe1, 0xe2, 0xee, 0xdb, 0xc2, 0xc4, 0xda, 0xda, 0xd9,
    ]);
  });

  it('the mark of JFIF loses its thumbnail, and that of Adobe what was added', () => {
    const [jfif, , icc, adobe] = segmentsOf(clean);
    expect(jfif![1]).toBe('JFIF\0\x01\x02\0\0\x48\0\x48\0\0');
    expect(icc![1]).toBe('ICC_PROFILE\0\x01\x01profile');
    expect(adobe![1]).toBe('Adobe\0d\0\0\0\0\x01');
  });

  it('the compressed pixels stay bit for bit', () => {
    expect(text(clean)).toContain(text(bytes(0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd1, 0x78)));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('the orientation %d stays, of the first EXIF', (orientation) => {
    const [, found] = segmentsOf(cut(jpegSample(orientation), jpeg));
    expect(orientationOf(bytes(found![1]))).toBe(orientation);
    expect(found![1]).toHaveLength(32);
  });

  it.each([
    ['none', exif(0)],
    ['none', exif(9)],
    ['none at all', bytes('II*\0\x08\0\0\0\0\0\0\0\0\0')],
    ['a broken one', bytes('II*\0\xff\xff\0\0')],
    ['an empty one', bytes()],
    ['no TIFF', bytes('nothing of the kind')],
  ])('EXIF with %s leaves none', (_, content) => {
    expect(left(segment(0xe1, 'Exif\0\0', content), EOI)).toBe('\xff\xd9');
  });

  it('what stands between segments and after the end goes', () => {
    expect(left([0xff, 0xff], segment(0xdb, 'q'), PLACE, [0xff, 0x00], PLACE, scan, 'px', EOI, PLACE, SOI)).toBe(
      `${text(segment(0xdb, 'q'))}${text(scan)}px\xff\xd9`,
    );
  });

  it.each(['JFXX\0', 'JFIF\0short', 'AVI1'])('a mark of %j goes', (mark) => {
    expect(left(segment(0xe0, mark, PLACE.slice(0, 3)), EOI)).toBe('\xff\xd9');
  });

  it.each([0xe3, 0xe4, 0xe8, 0xeb, 0xec, 0xed, 0xef])('a segment of applications goes: %d', (marker) => {
    expect(left(segment(marker, PLACE), EOI)).toBe('\xff\xd9');
  });

  it('one that breaks off in its pixels goes on as far as it comes', () => {
    expect(left(scan, 'pixels\xff')).toBe(`${text(scan)}pixels\xff`);
  });
});

describe('what is no JPEG', () => {
  it.each([
    ['nothing', bytes()],
    ['half a beginning', bytes(0xff)],
    ['another beginning', bytes('\x89PNG')],
    ['a second beginning', bytes(SOI, SOI)],
    ['a marker that nobody knows', bytes(SOI, 0xff, 0x02)],
    ['a marker of JPEG-LS', bytes(SOI, segment(0xf7, 'x'))],
    ['a segment of no size', bytes(SOI, 0xff, 0xdb, 0, 1)],
  ])('cannot be read: %s', (_, content) => {
    expect(() => cut(content, jpeg)).toThrow(UnreadableFile);
  });
});

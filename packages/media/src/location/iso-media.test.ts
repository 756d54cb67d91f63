import { box, bytes, fullBox, LOCATION, hasLocation, decodeText, u32be, type Part } from '../testing/file-parts.js';
import { isoMediaSample, titleBox } from '../testing/index.js';
import { stripIsoMedia } from './iso-media.js';
import { stripBytes } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const ftyp = box('ftyp', 'mp42', u32be(0), 'mp42');
const moov = (...parts: readonly Part[]): Uint8Array => bytes(ftyp, box('moov', ...parts));
const stripToText = (file: Uint8Array): string => decodeText(stripBytes(file, stripIsoMedia));
const blankedText = (part: Uint8Array): string =>
  decodeText(bytes(part.subarray(0, 4), 'free', new Uint8Array(part.length - 8)));

describe('stripIsoMedia', () => {
  const [before, after] = [isoMediaSample(), stripBytes(isoMediaSample(), stripIsoMedia)];

  it('keeps all offsets up to the last box', () => {
    expect(after.length).toBe(before.length - 4 - LOCATION.length);
    for (const type of [
      'mdat',
      'moov',
      'mvhd',
      'trak',
      'tkhd',
      'mdia',
      'minf',
      'stbl',
      'stsd',
      'avc1',
      'stco',
      'ilst',
    ]) {
      expect(decodeText(after).indexOf(type)).toBe(decodeText(before).indexOf(type));
      expect(decodeText(after)).toContain(type);
    }
  });

  it('keeps titles and gapless playback data', () => {
    expect(decodeText(after).match(/A title/g)).toHaveLength(2);
    expect(decodeText(after)).toContain('iTunSMPB');
  });

  it('strips the cover', () => {
    const cover = decodeText(after).slice(decodeText(after).indexOf('covr'));
    expect(cover.slice(20, 24)).toBe('\xff\xd8\xff\xe0');
    expect(cover).toContain('\xff\xd9\0\0\0');
  });

  it.each(['©xyz', 'loci', 'XMP_', 'GPMF', 'GPS ', 'free', '©cmt', 'auxi'].map((type) => [type, box(type, LOCATION)]))(
    'replaces %s by a `free` box',
    (_, part) => {
      expect(stripToText(moov(box('udta', part)))).toBe(decodeText(moov(box('udta', blankedText(part)))));
    },
  );

  it.each([
    ['a camera list', fullBox('meta', 0, fullBox('hdlr', 0, u32be(0), 'mdta'), box('ilst', LOCATION))],
    ['a list without handler', fullBox('meta', 0, box('ilst', LOCATION))],
    ['an empty list', box('meta')],
  ])('replaces %s by a `free` box', (_, part) => {
    expect(stripToText(moov(box('udta', part)))).toBe(decodeText(moov(box('udta', blankedText(part)))));
  });

  it('keeps titles in a QuickTime list', () => {
    const list = box('meta', fullBox('hdlr', 0, u32be(0), 'mdir'), box('ilst', titleBox('\xa9nam', 'A title')));
    expect(stripToText(moov(box('udta', list)))).toBe(decodeText(moov(box('udta', list))));
  });

  it('keeps the spherical video box and turns other UUID boxes into `free` boxes', () => {
    const sphericalBox = box('uuid', '\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd', '<rdf/>');
    const otherBox = box('uuid', new Uint8Array(16), LOCATION);
    expect(stripToText(moov(box('trak', sphericalBox, otherBox)))).toBe(
      decodeText(moov(box('trak', sphericalBox, blankedText(otherBox)))),
    );
  });

  it('reads boxes with 64-bit sizes', () => {
    const largeBox = bytes(u32be(1), 'mdat', u32be(0), u32be(21), 'pixel', ftyp);
    expect(stripToText(bytes(ftyp, largeBox, box('moov'), box('gps ', LOCATION)))).toBe(
      decodeText(bytes(ftyp, largeBox, box('moov'), blankedText(box('gps ', LOCATION)))),
    );
  });

  it('keeps samples of unknown size', () => {
    const endlessFile = bytes(ftyp, u32be(0), 'mdat', 'samples'.repeat(100));
    expect(stripToText(endlessFile)).toBe(decodeText(endlessFile));
  });

  it('blanks an unknown box of unknown size', () => {
    expect(hasLocation(stripBytes(bytes(ftyp, u32be(0), 'gps ', LOCATION), stripIsoMedia))).toBe(false);
  });

  it('blanks trailing bytes that look like a box', () => {
    expect(stripToText(bytes(ftyp, box('moov'), LOCATION))).toBe(
      decodeText(bytes(ftyp, box('moov'), LOCATION.slice(0, 4), 'free', new Uint8Array(LOCATION.length - 8))),
    );
  });

  it('blanks a truncated box of user data', () => {
    const udta = box('udta', box('\xa9nam', 'A title'), u32be(1_000), 'xyz ', LOCATION);
    expect(stripToText(moov(udta))).toBe(
      decodeText(moov(box('udta', box('\xa9nam', 'A title'), new Uint8Array(8 + LOCATION.length)))),
    );
  });

  it('keeps fragments', () => {
    const fragment = bytes(
      box('moof', box('mfhd', 'x'), box('traf', box('tfhd', 'x'), box('trun', 'x'))),
      box('mdat', 'px'),
    );
    expect(stripToText(bytes(moov(box('mvex')), fragment, fragment))).toBe(
      decodeText(bytes(moov(box('mvex')), fragment, fragment)),
    );
  });

  const makeFileWithMetadata = (key: string): Uint8Array =>
    isoMediaSample({ samples: ['mebx', box('keys', box('\0\0\0\x01', box('keyd', 'mdta', key)))] });

  it.each(['gpmd', 'camm', 'rtmd', 'djmd'])('rejects samples in the format %s', (format) => {
    expect(() => stripToText(isoMediaSample({ samples: [format, 'x'] }))).toThrow(UnreadableFile);
  });

  it('rejects timed locations of Apple and keeps its other metadata', () => {
    expect(() => stripToText(makeFileWithMetadata('com.apple.quicktime.location.ISO6709'))).toThrow(UnreadableFile);
    expect(stripToText(makeFileWithMetadata('com.apple.quicktime.detected-face'))).toContain('detected-face');
  });

  it.each([
    ['another signature', bytes('\xff\xd8\xff\xe0........')],
    ['an unknown box first', box('blob', 'x')],
    ['a compressed header', moov(box('cmov', 'x'))],
    ['a box larger than its track', moov(box('trak', u32be(1_000), 'mdia'))],
    ['an undersized box', moov(u32be(7), 'trak')],
    ['a broken box before the header', bytes(ftyp, u32be(3), 'mdat')],
  ])('rejects %s', (_, content) => {
    expect(() => stripToText(content)).toThrow(UnreadableFile);
  });
});

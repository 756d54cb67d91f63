import { box, bytes, fullBox, PLACE, tellsPlace, text, u32be, type Part } from '../../testing/file-parts.js';
import { filmSample, titleBox } from '../../testing/index.js';
import { isoMedia } from './iso-media.js';
import { cut } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const ftyp = box('ftyp', 'mp42', u32be(0), 'mp42');
const moov = (...parts: readonly Part[]): Uint8Array => bytes(ftyp, box('moov', ...parts));
const clean = (file: Uint8Array): string => text(cut(file, isoMedia));
const blank = (part: Uint8Array): string => text(bytes(part.subarray(0, 4), 'free', new Uint8Array(part.length - 8)));

describe('of a film', () => {
  const [before, after] = [filmSample(), cut(filmSample(), isoMedia)];

  it('every byte stays in its place, up to the last box', () => {
    expect(after.length).toBe(before.length - 4 - PLACE.length);
    for (const kept of [
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
      expect(text(after).indexOf(kept)).toBe(text(before).indexOf(kept));
      expect(text(after)).toContain(kept);
    }
  });

  it('titles stay, and what is needed to play without gaps', () => {
    expect(text(after).match(/A title/g)).toHaveLength(2);
    expect(text(after)).toContain('iTunSMPB');
  });

  it('its cover stays a picture, without its place', () => {
    const cover = text(after).slice(text(after).indexOf('covr'));
    expect(cover.slice(20, 24)).toBe('\xff\xd8\xff\xe0');
    expect(cover).toContain('\xff\xd9\0\0\0');
  });

  it.each(['©xyz', 'loci', 'XMP_', 'GPMF', 'GPS ', 'free', '©cmt', 'auxi'].map((type) => [type, box(type, PLACE)]))(
    'what is said of it goes: %s',
    (_, part) => {
      expect(clean(moov(box('udta', part)))).toBe(text(moov(box('udta', blank(part)))));
    },
  );

  it.each([
    ['a list of a camera', fullBox('meta', 0, fullBox('hdlr', 0, u32be(0), 'mdta'), box('ilst', PLACE))],
    ['a list of no kind', fullBox('meta', 0, box('ilst', PLACE))],
    ['an empty list', box('meta')],
  ])('%s goes', (_, part) => {
    expect(clean(moov(box('udta', part)))).toBe(text(moov(box('udta', blank(part)))));
  });

  it('titles in a list as QuickTime writes it stay', () => {
    const list = box('meta', fullBox('hdlr', 0, u32be(0), 'mdir'), box('ilst', titleBox('\xa9nam', 'A title')));
    expect(clean(moov(box('udta', list)))).toBe(text(moov(box('udta', list))));
  });

  it('that is to be looked at all around it stays so, and no other box of that kind', () => {
    const around = box('uuid', '\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd', '<rdf/>');
    const other = box('uuid', new Uint8Array(16), PLACE);
    expect(clean(moov(box('trak', around, other)))).toBe(text(moov(box('trak', around, blank(other)))));
  });

  it('boxes with sizes of 64 bits are known', () => {
    const large = bytes(u32be(1), 'mdat', u32be(0), u32be(21), 'pixel', ftyp);
    expect(clean(bytes(ftyp, large, box('moov'), box('gps ', PLACE)))).toBe(
      text(bytes(ftyp, large, box('moov'), blank(box('gps ', PLACE)))),
    );
  });

  it('samples that go on to the end do', () => {
    const endless = bytes(ftyp, u32be(0), 'mdat', 'samples'.repeat(100));
    expect(clean(endless)).toBe(text(endless));
  });

  it('what nobody knows and goes on to the end becomes zeros', () => {
    expect(tellsPlace(cut(bytes(ftyp, u32be(0), 'gps ', PLACE), isoMedia))).toBe(false);
  });

  it('what follows it and looks like a box becomes zeros', () => {
    expect(clean(bytes(ftyp, box('moov'), PLACE))).toBe(
      text(bytes(ftyp, box('moov'), PLACE.slice(0, 4), 'free', new Uint8Array(PLACE.length - 8))),
    );
  });

  it('what breaks off in what is said of it becomes zeros', () => {
    const udta = box('udta', box('\xa9nam', 'A title'), u32be(1_000), 'xyz ', PLACE);
    expect(clean(moov(udta))).toBe(
      text(moov(box('udta', box('\xa9nam', 'A title'), new Uint8Array(8 + PLACE.length)))),
    );
  });

  it('in fragments goes on', () => {
    const fragment = bytes(
      box('moof', box('mfhd', 'x'), box('traf', box('tfhd', 'x'), box('trun', 'x'))),
      box('mdat', 'px'),
    );
    expect(clean(bytes(moov(box('mvex')), fragment, fragment))).toBe(
      text(bytes(moov(box('mvex')), fragment, fragment)),
    );
  });
});

describe('a film whose samples are places', () => {
  const mebx = (key: string): Uint8Array =>
    filmSample({ samples: ['mebx', box('keys', box('\0\0\0\x01', box('keyd', 'mdta', key)))] });

  it.each(['gpmd', 'camm', 'rtmd', 'djmd'])('cannot be read: %s', (format) => {
    expect(() => clean(filmSample({ samples: [format, 'x'] }))).toThrow(UnreadableFile);
  });

  it('cannot be read when Apple says so, and can else', () => {
    expect(() => clean(mebx('com.apple.quicktime.location.ISO6709'))).toThrow(UnreadableFile);
    expect(clean(mebx('com.apple.quicktime.detected-face'))).toContain('detected-face');
  });
});

describe('what is no film', () => {
  it.each([
    ['another beginning', bytes('\xff\xd8\xff\xe0........')],
    ['an unknown box first', box('blob', 'x')],
    ['a header that is compressed', moov(box('cmov', 'x'))],
    ['a box that is too large for its track', moov(box('trak', u32be(1_000), 'mdia'))],
    ['a box that is too small', moov(u32be(7), 'trak')],
    ['a broken box before the header', bytes(ftyp, u32be(3), 'mdat')],
  ])('cannot be read: %s', (_, content) => {
    expect(() => clean(content)).toThrow(UnreadableFile);
  });
});

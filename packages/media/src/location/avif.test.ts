import {
  box,
  bytes,
  exif,
  fullBox,
  LOCATION,
  hasLocation,
  decodeText,
  u16be,
  u32be,
  type Part,
} from '../testing/file-parts.js';
import { avifSample, collectBytes, streamOf } from '../testing/index.js';
import { imageFacts } from '../content/image-facts.js';
import { orientationOf } from './exif.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripLocation } from './strip-location.js';

const stripFile = (file: Uint8Array): Promise<Uint8Array> => collectBytes(stripLocation('image/avif', streamOf(file)));
const ftyp = box('ftyp', 'avif', u32be(0), 'avif', 'mif1');
const infe = (id: number, type: string): Uint8Array => fullBox('infe', 2, u16be(id), [0, 0], type, 0);
const image = (iloc: Part, ...furtherParts: readonly Part[]): Uint8Array =>
  bytes(
    ftyp,
    fullBox('meta', 0, iloc, fullBox('iinf', 0, u16be(2), infe(1, 'av01'), infe(2, 'Exif'))),
    ...furtherParts,
  );

describe.each([false, true])('an AVIF with its item list last: %p', (isMetaLast) => {
  const before = avifSample({ isMetaLast });

  it('keeps all offsets, pixels and properties', async () => {
    const after = await stripFile(before);
    expect(after.length).toBe(before.length);
    for (const keptText of ['pixels', 'iloc', 'ipco', 'ispe', 'irot', 'ipma']) {
      expect(decodeText(after).indexOf(keptText)).toBe(decodeText(before).indexOf(keptText));
    }
    expect(imageFacts('image/avif', after)).toEqual(imageFacts('image/avif', before));
  });

  it('keeps only the EXIF orientation', async () => {
    const after = await stripFile(before);
    const at = decodeText(after).indexOf('pixels') + 6;
    expect(orientationOf(after.subarray(at + 4))).toBe(6);
    expect(after.subarray(at + 30, at + exif().length).every((byte) => byte === 0)).toBe(true);
  });
});

describe('blankAvif', () => {
  const makeEntry = (id: number, ...extents: readonly (readonly [number, number])[]): Uint8Array =>
    bytes(u16be(id), u16be(0), u16be(extents.length), ...extents.map(([at, size]) => bytes(u32be(at), u32be(size))));

  it('blanks EXIF in several extents', async () => {
    const iloc = (at: number): Uint8Array =>
      fullBox('iloc', 0, [0x44, 0], u16be(1), makeEntry(2, [at, 10], [at + 10, LOCATION.length]));
    const start = image(iloc(0)).length + 8;
    expect(hasLocation(await stripFile(image(iloc(start), box('mdat', 'beginning.', LOCATION))))).toBe(false);
  });

  it.each([
    ['no item list', bytes(ftyp, box('mdat', LOCATION))],
    [
      'two item lists',
      bytes(
        ftyp,
        fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0]), fullBox('iinf', 0, [0, 0])),
        fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0]), fullBox('iinf', 0, [0, 0])),
      ),
    ],
    ['no item types', bytes(ftyp, fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0])))],
    ['no item locations', bytes(ftyp, fullBox('meta', 0, fullBox('iinf', 0, [0, 0])))],
    ['a truncated list', image(fullBox('iloc', 0, [0x44, 0], u16be(9), makeEntry(2, [0, 1])))],
    ['an invalid integer size', image(fullBox('iloc', 0, [0x33, 0], u16be(1)))],
    ['an item of unknown size', image(fullBox('iloc', 0, [0x44, 0], u16be(1), makeEntry(2, [100, 0])))],
    [
      'an item built from items',
      image(fullBox('iloc', 1, [0x44, 0], u16be(1), u16be(2), u16be(2), u16be(0), u16be(1), u32be(0), u32be(9))),
    ],
    [
      'an item in another file',
      image(fullBox('iloc', 0, [0x44, 0], u16be(1), u16be(2), u16be(1), u16be(1), u32be(0), u32be(9))),
    ],
    [
      'item entries of version 0',
      bytes(
        ftyp,
        fullBox(
          'meta',
          0,
          fullBox('iloc', 0, [0x44, 0, 0, 0]),
          fullBox('iinf', 0, u16be(1), fullBox('infe', 0, u16be(1), 'x')),
        ),
      ),
    ],
    [
      'overlapping extents',
      image(
        fullBox('iloc', 0, [0x44, 0], u16be(1), makeEntry(2, ...Array.from({ length: 9 }, () => [0, 200] as const))),
      ),
    ],
  ])('rejects %s', async (_, file) => {
    await expect(stripFile(file)).rejects.toBeInstanceOf(UnreadableFile);
  });
});

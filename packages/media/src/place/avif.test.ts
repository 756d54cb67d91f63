import {
  box,
  bytes,
  exif,
  fullBox,
  PLACE,
  tellsPlace,
  text,
  u16be,
  u32be,
  type Part,
} from '../../testing/file-parts.js';
import { avifSample, collected, streamed } from '../../testing/index.js';
import { imageFacts } from '../content/image-facts.js';
import { orientationOf } from './exif.js';
import { UnreadableFile } from './unreadable-file.js';
import { withoutPlace } from './without-place.js';

const clean = (file: Uint8Array): Promise<Uint8Array> => collected(withoutPlace('image/avif', streamed(file)));
const ftyp = box('ftyp', 'avif', u32be(0), 'avif', 'mif1');
const infe = (id: number, type: string): Uint8Array => fullBox('infe', 2, u16be(id), [0, 0], type, 0);
const image = (iloc: Part, ...more: readonly Part[]): Uint8Array =>
  bytes(ftyp, fullBox('meta', 0, iloc, fullBox('iinf', 0, u16be(2), infe(1, 'av01'), infe(2, 'Exif'))), ...more);

describe.each([false, true])('of an AVIF whose list comes last: %p', (isMetaLast) => {
  const before = avifSample({ isMetaLast });

  it('every byte stays in its place, and the pixels and what they need', async () => {
    const after = await clean(before);
    expect(after.length).toBe(before.length);
    for (const kept of ['pixels', 'iloc', 'ipco', 'ispe', 'irot', 'ipma']) {
      expect(text(after).indexOf(kept)).toBe(text(before).indexOf(kept));
    }
    expect(imageFacts('image/avif', after)).toEqual(imageFacts('image/avif', before));
  });

  it('EXIF keeps the orientation alone', async () => {
    const after = await clean(before);
    const at = text(after).indexOf('pixels') + 6;
    expect(orientationOf(after.subarray(at + 4))).toBe(6);
    expect(after.subarray(at + 30, at + exif().length).every((byte) => byte === 0)).toBe(true);
  });
});

describe('an AVIF', () => {
  const entry = (id: number, ...extents: readonly (readonly [number, number])[]): Uint8Array =>
    bytes(u16be(id), u16be(0), u16be(extents.length), ...extents.map(([at, size]) => bytes(u32be(at), u32be(size))));

  it('whose EXIF is in pieces has none of them', async () => {
    const iloc = (at: number): Uint8Array =>
      fullBox('iloc', 0, [0x44, 0], u16be(1), entry(2, [at, 10], [at + 10, PLACE.length]));
    const start = image(iloc(0)).length + 8;
    expect(tellsPlace(await clean(image(iloc(start), box('mdat', 'beginning.', PLACE))))).toBe(false);
  });

  it.each([
    ['no list', bytes(ftyp, box('mdat', PLACE))],
    [
      'two lists',
      bytes(
        ftyp,
        fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0]), fullBox('iinf', 0, [0, 0])),
        fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0]), fullBox('iinf', 0, [0, 0])),
      ),
    ],
    ['no types', bytes(ftyp, fullBox('meta', 0, fullBox('iloc', 0, [0x44, 0, 0, 0])))],
    ['no places of items', bytes(ftyp, fullBox('meta', 0, fullBox('iinf', 0, [0, 0])))],
    ['a list that breaks off', image(fullBox('iloc', 0, [0x44, 0], u16be(9), entry(2, [0, 1])))],
    ['numbers of no size', image(fullBox('iloc', 0, [0x33, 0], u16be(1)))],
    ['an item to the end', image(fullBox('iloc', 0, [0x44, 0], u16be(1), entry(2, [100, 0])))],
    [
      'an item made of others',
      image(fullBox('iloc', 1, [0x44, 0], u16be(1), u16be(2), u16be(2), u16be(0), u16be(1), u32be(0), u32be(9))),
    ],
    [
      'items of an old kind',
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
      'items over and over',
      image(fullBox('iloc', 0, [0x44, 0], u16be(1), entry(2, ...Array.from({ length: 9 }, () => [0, 200] as const)))),
    ],
  ])('cannot be read: %s', async (_, file) => {
    await expect(clean(file)).rejects.toBeInstanceOf(UnreadableFile);
  });
});

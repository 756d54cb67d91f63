import { bytes, PLACE, tellsPlace, text, tiff, u16le, u32le, type Tag } from '../../testing/file-parts.js';
import { collected, jpegSample, streamed, tiffSample } from '../../testing/index.js';
import { directoryAt, numbersOf, tiffHeader, type TiffDirectory } from '../tiff-directory.js';
import { blankTiff } from './tiff.js';
import { UnreadableFile } from './unreadable-file.js';
import { LARGEST_WHOLE } from './whole.js';
import { withoutPlace } from './without-place.js';

const clean = (file: Uint8Array): Uint8Array => {
  const left = file.slice();
  blankTiff(left);
  return left;
};

function directoriesOf(file: Uint8Array): TiffDirectory[] {
  const { order, first } = tiffHeader(file)!;
  const found: TiffDirectory[] = [];
  for (let at = first; at !== 0; at = found.at(-1)!.next) found.push(directoryAt(file, at, order)!);
  return found;
}

const page = (...tags: readonly Tag[]): Uint8Array =>
  bytes(tiff('II', [[[256, 3, [2]], [257, 3, [2]], [258, 3, [8]], [259, 3, [1]], ...tags]]), 'pixels');

describe.each(['II', 'MM'] as const)('of a TIFF, %s', (order) => {
  const [before, after] = [tiffSample(order), clean(tiffSample(order))];
  const read = (tag: number, index = 0): number[] => {
    const entry = directoriesOf(after)[index]!.entries.find((each) => each.tag === tag)!;
    return [...numbersOf(after, entry, tiffHeader(after)!.order)];
  };

  it('every byte stays in its place', () => {
    expect(after.length).toBe(before.length);
    for (const kept of ['pixels of', ' one and', ' below', 'profile']) {
      expect(text(after).indexOf(kept)).toBe(text(before).indexOf(kept));
    }
  });

  it('the tags stay that decoding needs', () => {
    const tags = [256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 282];
    expect(directoriesOf(after).map(({ entries }) => entries.map(({ tag }) => tag))).toEqual([
      [...tags, 330, 34_675],
      tags,
    ]);
    expect([read(256), read(274), read(279, 1)]).toEqual([[4], [6], [4, 4]]);
  });

  it('an image below the first is cleaned as well', () => {
    const [below] = read(330);
    expect(directoryAt(after, below!, tiffHeader(after)!.order)!.entries.some(({ tag }) => tag === 270)).toBe(false);
  });
});

describe('a TIFF', () => {
  it('in JPEG has its JPEG cleaned', () => {
    const strip = jpegSample();
    const file = (at: number): Uint8Array =>
      bytes(
        tiff('II', [
          [
            [256, 3, [2]],
            [257, 3, [2]],
            [259, 3, [7]],
            [273, 4, [at]],
            [279, 4, [strip.length]],
          ],
        ]),
        strip,
      );
    const left = clean(file(file(0).length - strip.length));
    expect(tellsPlace(left)).toBe(false);
    expect(text(left)).toContain('\xff\xd8\xff\xe0');
  });

  it('whose directories go in a circle is read once', () => {
    const file = page([273, 4, [78]], [279, 4, [6]]);
    file.set(u32le(8), 8 + 2 + 6 * 12);
    expect(() => clean(file)).not.toThrow();
  });

  it.each([
    ['nothing', bytes()],
    ['another beginning', bytes('II+\0', new Uint8Array(20))],
    ['a directory beyond its end', bytes('II*\0', u32le(100))],
    ['a directory in its header', bytes('II*\0', u32le(4), new Uint8Array(20))],
    ['pixels beyond its end', page([273, 4, [86]], [279, 4, [60]])],
    ['pixels of no size', page([273, 4, [86]])],
    ['pixels of another number of sizes', page([273, 4, [86, 88]], [279, 4, [6]])],
    ['fewer pixels than it has', page([273, 4, [86]], [279, 4, [3]])],
    ['no pixels', page()],
    ['tables of the first JPEG', page([259, 3, [6]], [519, 4, [86]])],
    ['values beyond its end', page([273, 4, [86]], [279, 4, [6]]).slice(0, 60)],
    ['offsets of 64 bits', bytes('II', u16le(43), u16le(8), u16le(0), new Uint8Array(20))],
  ])('cannot be read: %s', (_, content) => {
    expect(() => clean(content)).toThrow(UnreadableFile);
  });

  it('that points to the same bytes again and again cannot be read', () => {
    const many = Array.from({ length: 60 }, () => 0);
    const file = page([273, 4, many], [279, 4, many.map(() => 500)]);
    expect(file.length).toBeGreaterThan(500);
    expect(() => clean(file)).toThrow('more than it has');
  });

  it('that is too large to be held cannot be read, and is not read on', async () => {
    let given = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes('II*\0');
      for (; ; given += 1) yield new Uint8Array(2 ** 20);
    }
    await expect(collected(withoutPlace('image/tiff', source()))).rejects.toBeInstanceOf(UnreadableFile);
    expect(given).toBe(LARGEST_WHOLE / 2 ** 20 - 1);
  });

  it('of a pixel and nothing else goes on', async () => {
    const file = bytes(
      tiff('II', [
        [
          [256, 3, [1]],
          [257, 3, [1]],
          [258, 3, [8]],
          [273, 4, [80]],
          [279, 4, [1]],
        ],
      ]),
      'xxxxxxxx',
      PLACE,
    );
    const left = await collected(withoutPlace('image/tiff', streamed(file)));
    expect(text(left.subarray(74))).toBe(`${'\0'.repeat(6)}x${'\0'.repeat(1 + PLACE.length)}`);
  });
});

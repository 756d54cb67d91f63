import { bytes, LOCATION, hasLocation, decodeText, tiff, u16le, u32le, type Tag } from '../testing/file-parts.js';
import { collectBytes, jpegSample, streamOf, tiffSample } from '../testing/index.js';
import { directoryAt, numbersOf, tiffHeader, type TiffDirectory } from '../tiff-directory.js';
import { blankTiff } from './tiff.js';
import { UnreadableFile } from './unreadable-file.js';
import { MAX_BUFFERED_BYTES } from './buffered.js';
import { stripLocation } from './strip-location.js';

const clean = (file: Uint8Array): Uint8Array => {
  const left = file.slice();
  blankTiff(left);
  return left;
};

function directoriesOf(file: Uint8Array): TiffDirectory[] {
  const { order, firstOffset: first } = tiffHeader(file)!;
  const found: TiffDirectory[] = [];
  for (let at = first; at !== 0; at = found.at(-1)!.nextOffset) found.push(directoryAt(file, at, order)!);
  return found;
}

const page = (...tags: readonly Tag[]): Uint8Array =>
  bytes(tiff('II', [[[256, 3, [2]], [257, 3, [2]], [258, 3, [8]], [259, 3, [1]], ...tags]]), 'pixels');

describe.each(['II', 'MM'] as const)('blankTiff, byte order %s', (order) => {
  const [before, after] = [tiffSample(order), clean(tiffSample(order))];
  const read = (tag: number, index = 0): number[] => {
    const entry = directoriesOf(after)[index]!.entries.find((each) => each.tag === tag)!;
    return [...numbersOf(after, entry, tiffHeader(after)!.order)];
  };

  it('keeps all offsets', () => {
    expect(after.length).toBe(before.length);
    for (const kept of ['pixels of', ' one and', ' below', 'profile']) {
      expect(decodeText(after).indexOf(kept)).toBe(decodeText(before).indexOf(kept));
    }
  });

  it('keeps the tags for decoding', () => {
    const tags = [256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 282];
    expect(directoriesOf(after).map(({ entries }) => entries.map(({ tag }) => tag))).toEqual([
      [...tags, 330, 34_675],
      tags,
    ]);
    expect([read(256), read(274), read(279, 1)]).toEqual([[4], [6], [4, 4]]);
  });

  it('blanks sub-images', () => {
    const [below] = read(330);
    expect(directoryAt(after, below!, tiffHeader(after)!.order)!.entries.some(({ tag }) => tag === 270)).toBe(false);
  });
});

describe('blankTiff', () => {
  it('strips JPEG data', () => {
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
    expect(hasLocation(left)).toBe(false);
    expect(decodeText(left)).toContain('\xff\xd8\xff\xe0');
  });

  it('reads circular directories once', () => {
    const file = page([273, 4, [78]], [279, 4, [6]]);
    file.set(u32le(8), 8 + 2 + 6 * 12);
    expect(() => clean(file)).not.toThrow();
  });

  it.each([
    ['an empty file', bytes()],
    ['another signature', bytes('II+\0', new Uint8Array(20))],
    ['a directory beyond its end', bytes('II*\0', u32le(100))],
    ['a directory in its header', bytes('II*\0', u32le(4), new Uint8Array(20))],
    ['pixels beyond its end', page([273, 4, [86]], [279, 4, [60]])],
    ['pixels without size', page([273, 4, [86]])],
    ['mismatched numbers of offsets and sizes', page([273, 4, [86, 88]], [279, 4, [6]])],
    ['too few pixel bytes', page([273, 4, [86]], [279, 4, [3]])],
    ['no pixels', page()],
    ['old-style JPEG tables', page([259, 3, [6]], [519, 4, [86]])],
    ['values beyond its end', page([273, 4, [86]], [279, 4, [6]]).slice(0, 60)],
    ['BigTIFF', bytes('II', u16le(43), u16le(8), u16le(0), new Uint8Array(20))],
  ])('rejects %s', (_, content) => {
    expect(() => clean(content)).toThrow(UnreadableFile);
  });

  it('rejects repeated references to the same bytes', () => {
    const many = Array.from({ length: 60 }, () => 0);
    const file = page([273, 4, many], [279, 4, many.map(() => 500)]);
    expect(file.length).toBeGreaterThan(500);
    expect(() => clean(file)).toThrow('more bytes than it has');
  });

  it('stops reading a file above the buffer limit', async () => {
    let megabytes = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes('II*\0');
      for (; ; megabytes += 1) yield new Uint8Array(2 ** 20);
    }
    await expect(collectBytes(stripLocation('image/tiff', source()))).rejects.toBeInstanceOf(UnreadableFile);
    expect(megabytes).toBe(MAX_BUFFERED_BYTES / 2 ** 20 - 1);
  });

  it('keeps a single pixel and blanks the rest', async () => {
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
      LOCATION,
    );
    const left = await collectBytes(stripLocation('image/tiff', streamOf(file)));
    expect(decodeText(left.subarray(74))).toBe(`${'\0'.repeat(6)}x${'\0'.repeat(1 + LOCATION.length)}`);
  });
});

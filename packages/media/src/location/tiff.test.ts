import { bytes, LOCATION, hasLocation, decodeText, tiff, u16le, u32le, type Tag } from '../testing/file-parts.js';
import { collectBytes, jpegSample, streamOf, tiffSample } from '../testing/index.js';
import { directoryAt, numbersOf, tiffHeader, type TiffDirectory } from '../formats/tiff-directory.js';
import { blankTiff } from './tiff.js';
import { UnreadableFile } from './unreadable-file.js';
import { MAX_BUFFERED_BYTES } from './buffered.js';
import { stripLocation } from './strip-location.js';

const stripTiff = (file: Uint8Array): Uint8Array => {
  const copy = file.slice();
  blankTiff(copy);
  return copy;
};

function directoriesOf(file: Uint8Array): TiffDirectory[] {
  const { order, firstOffset: first } = tiffHeader(file)!;
  const directories: TiffDirectory[] = [];
  for (let at = first; at !== 0; at = directories.at(-1)!.nextOffset) directories.push(directoryAt(file, at, order)!);
  return directories;
}

const makePage = (...tags: readonly Tag[]): Uint8Array =>
  bytes(tiff('II', [[[256, 3, [2]], [257, 3, [2]], [258, 3, [8]], [259, 3, [1]], ...tags]]), 'pixels');

describe.each(['II', 'MM'] as const)('blankTiff, byte order %s', (order) => {
  const [before, after] = [tiffSample(order), stripTiff(tiffSample(order))];
  const readTag = (tag: number, index = 0): number[] => {
    const entry = directoriesOf(after)[index]!.entries.find((candidate) => candidate.tag === tag)!;
    return [...numbersOf(after, entry, tiffHeader(after)!.order)];
  };

  it('keeps all offsets', () => {
    expect(after.length).toBe(before.length);
    for (const keptText of ['pixels of', ' one and', ' below', 'profile']) {
      expect(decodeText(after).indexOf(keptText)).toBe(decodeText(before).indexOf(keptText));
    }
  });

  it('keeps the tags for decoding', () => {
    const tags = [256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 282];
    expect(directoriesOf(after).map(({ entries }) => entries.map(({ tag }) => tag))).toEqual([
      [...tags, 330, 34_675],
      tags,
    ]);
    expect([readTag(256), readTag(274), readTag(279, 1)]).toEqual([[4], [6], [4, 4]]);
  });

  it('blanks sub-images', () => {
    const [subdirectoryAt] = readTag(330);
    expect(directoryAt(after, subdirectoryAt!, tiffHeader(after)!.order)!.entries.some(({ tag }) => tag === 270)).toBe(
      false,
    );
  });
});

describe('blankTiff', () => {
  it('strips JPEG data', () => {
    const jpeg = jpegSample();
    const makeFile = (at: number): Uint8Array =>
      bytes(
        tiff('II', [
          [
            [256, 3, [2]],
            [257, 3, [2]],
            [259, 3, [7]],
            [273, 4, [at]],
            [279, 4, [jpeg.length]],
          ],
        ]),
        jpeg,
      );
    const strippedFile = stripTiff(makeFile(makeFile(0).length - jpeg.length));
    expect(hasLocation(strippedFile)).toBe(false);
    expect(decodeText(strippedFile)).toContain('\xff\xd8\xff\xe0');
  });

  it('reads circular directories once', () => {
    const file = makePage([273, 4, [78]], [279, 4, [6]]);
    file.set(u32le(8), 8 + 2 + 6 * 12);
    expect(() => stripTiff(file)).not.toThrow();
  });

  it.each([
    ['an empty file', bytes()],
    ['another signature', bytes('II+\0', new Uint8Array(20))],
    ['a directory beyond its end', bytes('II*\0', u32le(100))],
    ['a directory in its header', bytes('II*\0', u32le(4), new Uint8Array(20))],
    ['pixels beyond its end', makePage([273, 4, [86]], [279, 4, [60]])],
    ['pixels without size', makePage([273, 4, [86]])],
    ['mismatched numbers of offsets and sizes', makePage([273, 4, [86, 88]], [279, 4, [6]])],
    ['too few pixel bytes', makePage([273, 4, [86]], [279, 4, [3]])],
    ['no pixels', makePage()],
    ['old-style JPEG tables', makePage([259, 3, [6]], [519, 4, [86]])],
    ['values beyond its end', makePage([273, 4, [86]], [279, 4, [6]]).slice(0, 60)],
    ['BigTIFF', bytes('II', u16le(43), u16le(8), u16le(0), new Uint8Array(20))],
  ])('rejects %s', (_, content) => {
    expect(() => stripTiff(content)).toThrow(UnreadableFile);
  });

  it('rejects repeated references to the same bytes', () => {
    const repeatedOffsets = Array.from({ length: 60 }, () => 0);
    const file = makePage([273, 4, repeatedOffsets], [279, 4, repeatedOffsets.map(() => 500)]);
    expect(file.length).toBeGreaterThan(500);
    expect(() => stripTiff(file)).toThrow('more bytes than it has');
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

  it('keeps a single pixel and blanks all other bytes', async () => {
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
    const strippedFile = await collectBytes(stripLocation('image/tiff', streamOf(file)));
    expect(decodeText(strippedFile.subarray(74))).toBe(`${'\0'.repeat(6)}x${'\0'.repeat(1 + LOCATION.length)}`);
  });
});

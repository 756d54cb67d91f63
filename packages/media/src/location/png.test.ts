import { bytes, exif, LOCATION, pngChunk, decodeText } from '../testing/file-parts.js';
import { pngSample } from '../testing/index.js';
import { orientationOf } from './exif.js';
import { stripBytes } from './file-stream.js';
import { stripPng, PNG_SIGNATURE } from './png.js';
import { UnreadableFile } from './unreadable-file.js';

function chunksOf(file: Uint8Array): [string, string, Uint8Array][] {
  const chunks: [string, string, Uint8Array][] = [];
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 8; at < file.length; at += 12 + view.getUint32(at)) {
    const end = at + 12 + view.getUint32(at);
    chunks.push([
      decodeText(file.subarray(at + 4, at + 8)),
      decodeText(file.subarray(at + 8, end - 4)),
      file.slice(at, end),
    ]);
  }
  return chunks;
}

describe('stripPng', () => {
  it('keeps the chunks that rendering needs', () => {
    const [before, after] = [
      chunksOf(pngSample().slice(0, -LOCATION.length)),
      chunksOf(stripBytes(pngSample(), stripPng)),
    ];
    const keptTypes = ['IHDR', 'acTL', 'iCCP', 'IDAT', 'fdAT', 'IEND'];
    expect(after.map(([type]) => type)).toEqual(['IHDR', 'acTL', 'iCCP', 'eXIf', 'IDAT', 'fdAT', 'IEND']);
    expect(after.filter(([type]) => keptTypes.includes(type))).toEqual(
      before.filter(([type]) => keptTypes.includes(type)),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps orientation %d of the first EXIF, with its checksum', (orientation) => {
    const exifChunks = chunksOf(stripBytes(pngSample(orientation), stripPng)).filter(([type]) => type === 'eXIf');
    expect(exifChunks.map(([, content]) => orientationOf(bytes(content)))).toEqual([orientation]);
    expect(exifChunks[0]![2]).toEqual(pngChunk('eXIf', exifChunks[0]![1]));
  });

  it('keeps the orientation of an EXIF beyond the look-ahead', () => {
    const largeExif = pngChunk('eXIf', exif(8), new Uint8Array(200_000));
    const after = chunksOf(stripBytes(bytes(PNG_SIGNATURE, largeExif, pngChunk('IEND')), stripPng));
    expect(after.map(([type, content]) => [type, orientationOf(bytes(content))])).toEqual([
      ['eXIf', 8],
      ['IEND', undefined],
    ]);
  });

  it.each([
    ['an empty file', bytes()],
    ['another signature', bytes('\xff\xd8\xff\xe0....')],
    ['an oversized chunk', bytes(PNG_SIGNATURE, [0x80, 0, 0, 0], 'tEXt')],
    ['an invalid chunk type', bytes(PNG_SIGNATURE, [0, 0, 0, 1], 'tE t')],
    ['an unknown critical chunk', bytes(PNG_SIGNATURE, pngChunk('CgBI', 'x'))],
  ])('rejects %s', (_, content) => {
    expect(() => stripBytes(content, stripPng)).toThrow(UnreadableFile);
  });
});

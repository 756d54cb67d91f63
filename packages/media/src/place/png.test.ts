import { bytes, exif, PLACE, pngChunk, text } from '../../testing/file-parts.js';
import { pngSample } from '../../testing/index.js';
import { orientationOf } from './exif.js';
import { cut } from './passage.js';
import { png, PNG_SIGNATURE } from './png.js';
import { UnreadableFile } from './unreadable-file.js';

/** The chunks of a file as they are written. */
function chunksOf(file: Uint8Array): [string, string, Uint8Array][] {
  const found: [string, string, Uint8Array][] = [];
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 8; at < file.length; at += 12 + view.getUint32(at)) {
    const end = at + 12 + view.getUint32(at);
    found.push([text(file.subarray(at + 4, at + 8)), text(file.subarray(at + 8, end - 4)), file.slice(at, end)]);
  }
  return found;
}

describe('of a PNG', () => {
  it('what its look needs stays as it is', () => {
    const [before, after] = [chunksOf(pngSample().slice(0, -PLACE.length)), chunksOf(cut(pngSample(), png))];
    const kept = ['IHDR', 'acTL', 'iCCP', 'IDAT', 'fdAT', 'IEND'];
    expect(after.map(([type]) => type)).toEqual(['IHDR', 'acTL', 'iCCP', 'eXIf', 'IDAT', 'fdAT', 'IEND']);
    expect(after.filter(([type]) => kept.includes(type))).toEqual(before.filter(([type]) => kept.includes(type)));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'the orientation %d stays, of the first EXIF, with its check sum',
    (orientation) => {
      const found = chunksOf(cut(pngSample(orientation), png)).filter(([type]) => type === 'eXIf');
      expect(found.map(([, content]) => orientationOf(bytes(content)))).toEqual([orientation]);
      expect(found[0]![2]).toEqual(pngChunk('eXIf', found[0]![1]));
    },
  );

  it('an EXIF that is larger than what is looked at leaves its orientation', () => {
    const large = pngChunk('eXIf', exif(8), new Uint8Array(200_000));
    const after = chunksOf(cut(bytes(PNG_SIGNATURE, large, pngChunk('IEND')), png));
    expect(after.map(([type, content]) => [type, orientationOf(bytes(content))])).toEqual([
      ['eXIf', 8],
      ['IEND', undefined],
    ]);
  });
});

describe('what is no PNG', () => {
  it.each([
    ['nothing', bytes()],
    ['another beginning', bytes('\xff\xd8\xff\xe0....')],
    ['a chunk that is too large', bytes(PNG_SIGNATURE, [0x80, 0, 0, 0], 'tEXt')],
    ['a chunk of no type', bytes(PNG_SIGNATURE, [0, 0, 0, 1], 'tE t')],
    ['a chunk that must be understood', bytes(PNG_SIGNATURE, pngChunk('CgBI', 'x'))],
  ])('cannot be read: %s', (_, content) => {
    expect(() => cut(content, png)).toThrow(UnreadableFile);
  });
});

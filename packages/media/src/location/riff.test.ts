import { bytes, exif, LOCATION, riff, riffChunk, hasLocation, decodeText, XMP } from '../testing/file-parts.js';
import { id3, id3Frame, wavSample, webpSample } from '../testing/index.js';
import { orientationOf } from './exif.js';
import { stripBytes } from './file-stream.js';
import { stripWav, stripWebp } from './riff.js';
import { UnreadableFile } from './unreadable-file.js';

describe('stripWebp', () => {
  const [before, after] = [webpSample(), stripBytes(webpSample(), stripWebp)];
  const offsetOf = (name: string): number => decodeText(after).indexOf(name);

  it('keeps all offsets up to the stated end', () => {
    expect(after.length).toBe(before.length - LOCATION.length);
    expect(after.subarray(0, 20)).toEqual(before.subarray(0, 20));
    for (const name of ['ICCP', 'ANIM', 'ANMF', 'VP8L', 'EXIF'])
      expect(offsetOf(name)).toBe(decodeText(before).indexOf(name));
  });

  it('clears only the XMP flag', () => {
    expect([before[20], after[20]]).toEqual([0x2e, 0x2a]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps orientation %d', (orientation) => {
    expect(orientationOf(stripBytes(webpSample(orientation), stripWebp).subarray(offsetOf('EXIF') + 8))).toBe(
      orientation,
    );
  });

  it.each([
    ['with the JPEG prefix', bytes('Exif\0\0', exif(8)), 8],
    ['without orientation', exif(0), 1],
    ['that is garbage', new Uint8Array(40).fill(7), 1],
  ])('minimizes EXIF %s and keeps its size', (_, content, orientation) => {
    const strippedFile = stripBytes(riff('WEBP', riffChunk('EXIF', content), riffChunk('VP8 ', 'px')), stripWebp);
    expect(orientationOf(strippedFile.subarray(20))).toBe(orientation);
    expect(strippedFile.subarray(46, 20 + content.length).every((byte) => byte === 0)).toBe(true);
    expect(decodeText(strippedFile.subarray(-10))).toBe('VP8 \x02\0\0\0px');
  });

  it('blanks EXIF too short for an orientation', () => {
    expect(decodeText(stripBytes(riff('WEBP', riffChunk('EXIF', 'N44.8')), stripWebp)).slice(20)).toBe('\0'.repeat(6));
  });

  it('treats an oversized chunk as ending with its frame', () => {
    const frame = riffChunk('ANMF', new Uint8Array(16), 'VP8L', [200, 0, 0, 0], 'px');
    expect(hasLocation(stripBytes(riff('WEBP', frame, riffChunk('XMP ', XMP)), stripWebp))).toBe(false);
  });
});

describe('stripWav', () => {
  const [before, after] = [wavSample(), stripBytes(wavSample(), stripWav)];

  it('keeps sound and titles in place', () => {
    expect(after.length).toBe(before.length - LOCATION.length);
    for (const keptText of ['fmt ', 'data\x05\0\0\0sound', 'INAM\x07\0\0\0A title']) {
      expect(decodeText(after).indexOf(keptText)).toBe(decodeText(before).indexOf(keptText));
      expect(decodeText(after)).toContain(keptText);
    }
  });

  it('keeps ID3 titles', () => {
    const strippedFile = stripBytes(
      riff('WAVE', riffChunk('id3 ', id3(3, 0, id3Frame(3, 'TIT2', 0, 'A title')))),
      stripWav,
    );
    expect(decodeText(strippedFile)).toContain('A title');
  });

  it('keeps an unfinished recording', () => {
    const endlessFile = bytes(
      'RIFF',
      [0, 0, 0, 0],
      'WAVE',
      riffChunk('fmt ', 'x'),
      'data',
      [0, 0, 0, 0],
      'sound'.repeat(9),
    );
    expect(decodeText(stripBytes(endlessFile, stripWav))).toBe(decodeText(endlessFile));
    const fileOfUnknownSize = bytes(
      'RIFF',
      [255, 255, 255, 255],
      'WAVE',
      'data',
      [255, 255, 255, 255],
      'sound'.repeat(9),
    );
    expect(decodeText(stripBytes(fileOfUnknownSize, stripWav))).toBe(decodeText(fileOfUnknownSize));
  });
});

describe('a RIFF header', () => {
  it.each([
    ['an empty file', bytes()],
    ['AVI', riff('AVI ', 'x')],
    ['WAVE', riff('WAVE', 'x')],
    ['big-endian RIFF', bytes('RIFX\0\0\0\0WEBP')],
  ])('rejects %s as WebP', (_, content) => {
    expect(() => stripBytes(content, stripWebp)).toThrow(UnreadableFile);
  });
});

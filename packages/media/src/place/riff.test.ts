import { bytes, exif, PLACE, riff, riffChunk, tellsPlace, text, XMP } from '../../testing/file-parts.js';
import { id3, id3Frame, wavSample, webpSample } from '../../testing/index.js';
import { orientationOf } from './exif.js';
import { cut } from './passage.js';
import { wav, webp } from './riff.js';
import { UnreadableFile } from './unreadable-file.js';

describe('of a WebP', () => {
  const [before, after] = [webpSample(), cut(webpSample(), webp)];
  const at = (name: string): number => text(after).indexOf(name);

  it('every byte stays in its place, up to the end that it names', () => {
    expect(after.length).toBe(before.length - PLACE.length);
    expect(after.subarray(0, 20)).toEqual(before.subarray(0, 20));
    for (const name of ['ICCP', 'ANIM', 'ANMF', 'VP8L', 'EXIF']) expect(at(name)).toBe(text(before).indexOf(name));
  });

  it('the flags of movement, profile and EXIF stay, that of XMP goes', () => {
    expect([before[20], after[20]]).toEqual([0x2e, 0x2a]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('the orientation %d stays', (orientation) => {
    expect(orientationOf(cut(webpSample(orientation), webp).subarray(at('EXIF') + 8))).toBe(orientation);
  });

  it.each([
    ['with the mark of JPEG', bytes('Exif\0\0', exif(8)), 8],
    ['of no orientation', exif(0), 1],
    ['that is nothing', new Uint8Array(40).fill(7), 1],
  ])('EXIF %s is EXIF of its size', (_, content, orientation) => {
    const left = cut(riff('WEBP', riffChunk('EXIF', content), riffChunk('VP8 ', 'px')), webp);
    expect(orientationOf(left.subarray(20))).toBe(orientation);
    expect(left.subarray(46, 20 + content.length).every((byte) => byte === 0)).toBe(true);
    expect(text(left.subarray(-10))).toBe('VP8 \x02\0\0\0px');
  });

  it('EXIF too short for an orientation becomes zeros', () => {
    expect(text(cut(riff('WEBP', riffChunk('EXIF', 'N44.8')), webp)).slice(20)).toBe('\0'.repeat(6));
  });

  it('a chunk that ends beyond its frame ends with it', () => {
    const frame = riffChunk('ANMF', new Uint8Array(16), 'VP8L', [200, 0, 0, 0], 'px');
    expect(tellsPlace(cut(riff('WEBP', frame, riffChunk('XMP ', XMP)), webp))).toBe(false);
  });
});

describe('of a WAV', () => {
  const [before, after] = [wavSample(), cut(wavSample(), wav)];

  it('sound and titles stay in their place', () => {
    expect(after.length).toBe(before.length - PLACE.length);
    for (const kept of ['fmt ', 'data\x05\0\0\0sound', 'INAM\x07\0\0\0A title']) {
      expect(text(after).indexOf(kept)).toBe(text(before).indexOf(kept));
      expect(text(after)).toContain(kept);
    }
  });

  it('titles as MP3 has them stay', () => {
    const left = cut(riff('WAVE', riffChunk('id3 ', id3(3, 0, id3Frame(3, 'TIT2', 0, 'A title')))), wav);
    expect(text(left)).toContain('A title');
  });

  it('a sound that was never finished goes on to its end', () => {
    const endless = bytes(
      'RIFF',
      [0, 0, 0, 0],
      'WAVE',
      riffChunk('fmt ', 'x'),
      'data',
      [0, 0, 0, 0],
      'sound'.repeat(9),
    );
    expect(text(cut(endless, wav))).toBe(text(endless));
    const unknown = bytes('RIFF', [255, 255, 255, 255], 'WAVE', 'data', [255, 255, 255, 255], 'sound'.repeat(9));
    expect(text(cut(unknown, wav))).toBe(text(unknown));
  });
});

describe('what is no RIFF of its kind', () => {
  it.each([
    ['nothing', bytes()],
    ['a film', riff('AVI ', 'x')],
    ['a sound', riff('WAVE', 'x')],
    ['another order', bytes('RIFX\0\0\0\0WEBP')],
  ])('cannot be read: %s', (_, content) => {
    expect(() => cut(content, webp)).toThrow(UnreadableFile);
  });
});

import { bytes, LOCATION, pngChunk, hasLocation, decodeText, type Part } from '../testing/file-parts.js';
import { id3, id3Frame, mp3Frame, mp3Sample, pngSample } from '../testing/index.js';
import { stripMp3 } from './mp3.js';
import { stripBytes } from './file-stream.js';

const stripToText = (...parts: readonly Part[]): string => decodeText(stripBytes(bytes(...parts), stripMp3));

describe('stripMp3', () => {
  it.each([3, 4] as const)('keeps sound and ID3v2.%d titles in place', (version) => {
    const [before, after] = [mp3Sample(version), stripBytes(mp3Sample(version), stripMp3)];
    expect(after.length).toBe(before.length);
    expect(decodeText(after.slice(-834))).toBe(decodeText(bytes(mp3Frame(), mp3Frame())));
    for (const keptText of ['A title', 'Mood\0merry', 'image/jpeg', 'Cover'])
      expect(decodeText(after)).toContain(keptText);
  });

  it('strips the cover and keeps its pixels', () => {
    const after = stripToText(id3(4, 0, id3Frame(4, 'APIC', 0, 'image/png\0\x03\0', pngSample())), mp3Frame());
    expect(after).toContain(decodeText(pngChunk('IDAT', 'pixels')));
    expect(after).not.toContain(LOCATION);
  });

  it('blanks a picture of unknown type', () => {
    expect(stripToText(id3(3, 0, id3Frame(3, 'APIC', 0, '-->\0\x03\0', LOCATION)), mp3Frame())).not.toContain(LOCATION);
  });

  it.each([
    ['unsynchronised', id3(3, 0x80, LOCATION)],
    ['extended', id3(4, 0x40, LOCATION)],
    ['of version 2.2', bytes('ID3', [2, 0, 0, 0, 0, 0, LOCATION.length], LOCATION)],
  ])('blanks tags that are %s', (_, titles) => {
    const strippedText = stripToText(titles, mp3Frame());
    expect(strippedText).toBe(
      decodeText(bytes(titles.subarray(0, 10), new Uint8Array(titles.length - 10), mp3Frame())),
    );
  });

  it('blanks a compressed free-form frame', () => {
    const frame = id3Frame(4, 'PRIV', 'packed');
    frame[9] = 8;
    expect(stripToText(id3(4, 0, frame), mp3Frame())).not.toContain('packed');
  });

  it('treats an oversized frame as ending with its tag', () => {
    const frame = bytes('TXXX', [0, 0x7f, 0x7f, 0x7f, 0, 0], 0, `location\0${LOCATION}`);
    const strippedFile = stripBytes(bytes(id3(4, 0, frame), mp3Frame()), stripMp3);
    expect(hasLocation(strippedFile)).toBe(false);
    expect(decodeText(strippedFile)).toContain(decodeText(mp3Frame()));
  });

  it('keeps a file without tags unchanged', () => {
    expect(stripToText(mp3Frame(), mp3Frame())).toBe(decodeText(bytes(mp3Frame(), mp3Frame())));
  });
});

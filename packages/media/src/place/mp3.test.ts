import { bytes, PLACE, pngChunk, tellsPlace, text, type Part } from '../../testing/file-parts.js';
import { id3, id3Frame, mp3Frame, mp3Sample, pngSample } from '../../testing/index.js';
import { mp3 } from './mp3.js';
import { cut } from './passage.js';

const clean = (...parts: readonly Part[]): string => text(cut(bytes(...parts), mp3));

describe('of an MP3', () => {
  it.each([3, 4] as const)('sound and titles of version %d stay in their place', (version) => {
    const [before, after] = [mp3Sample(version), cut(mp3Sample(version), mp3)];
    expect(after.length).toBe(before.length);
    expect(text(after.slice(-834))).toBe(text(bytes(mp3Frame(), mp3Frame())));
    for (const kept of ['A title', 'Mood\0merry', 'image/jpeg', 'Cover']) expect(text(after)).toContain(kept);
  });

  it('its cover stays a picture, without its place', () => {
    const after = clean(id3(4, 0, id3Frame(4, 'APIC', 0, 'image/png\0\x03\0', pngSample())), mp3Frame());
    expect(after).toContain(text(pngChunk('IDAT', 'pixels')));
    expect(after).not.toContain(PLACE);
  });

  it('a picture of another kind goes', () => {
    expect(clean(id3(3, 0, id3Frame(3, 'APIC', 0, '-->\0\x03\0', PLACE)), mp3Frame())).not.toContain(PLACE);
  });

  it.each([
    ['unsynchronised', id3(3, 0x80, PLACE)],
    ['extended', id3(4, 0x40, PLACE)],
    ['of the first version', bytes('ID3', [2, 0, 0, 0, 0, 0, PLACE.length], PLACE)],
  ])('titles that are %s become zeros', (_, titles) => {
    const left = clean(titles, mp3Frame());
    expect(left).toBe(text(bytes(titles.subarray(0, 10), new Uint8Array(titles.length - 10), mp3Frame())));
  });

  it('a free frame that is compressed becomes zeros', () => {
    const frame = id3Frame(4, 'PRIV', 'packed');
    frame[9] = 8;
    expect(clean(id3(4, 0, frame), mp3Frame())).not.toContain('packed');
  });

  it('a frame that says more than there is ends with its titles', () => {
    const frame = bytes('TXXX', [0, 0x7f, 0x7f, 0x7f, 0, 0], 0, `location\0${PLACE}`);
    const left = cut(bytes(id3(4, 0, frame), mp3Frame()), mp3);
    expect(tellsPlace(left)).toBe(false);
    expect(text(left)).toContain(text(mp3Frame()));
  });

  it('without titles everything stays', () => {
    expect(clean(mp3Frame(), mp3Frame())).toBe(text(bytes(mp3Frame(), mp3Frame())));
  });
});

import type { MediaFacts, ReadableFile } from '../src/index.js';
import { fromLatin1 } from '../src/octets.js';
import { mp4Film, mp4Sound, webmFilm, webmSound } from './sample-films.js';
import { mp3Sample, oggSample, SAMPLE_FILES, wavSample } from './sample-files.js';

const MEGABYTE = 2 ** 20;

/** A file in memory that counts what is read of it. */
export function readable(content: Uint8Array): ReadableFile & { readonly readBytes: () => number } {
  let count = 0;
  return {
    size: content.length,
    async read(from, length) {
      const stretch = content.slice(from, from + length);
      count += stretch.length;
      return stretch;
    },
    readBytes: () => count,
  };
}

/** What everything that reads films promises. */
export function mediaFactsContract(open: () => Promise<MediaFacts>): void {
  let facts: MediaFacts;

  beforeAll(async () => {
    facts = await open();
  });
  afterAll(() => facts.close());

  describe('a film', () => {
    it.each([
      ['MP4', mp4Film({ width: 640, height: 360 })],
      ['WebM', webmFilm({ width: 640, height: 360 })],
    ])('of %s has its size', async (_, film) => {
      expect(await facts.sizeOf(readable(film))).toEqual({ width: 640, height: 360 });
    });

    it.each([
      [0, { width: 1_920, height: 1_080 }],
      [90, { width: 1_080, height: 1_920 }],
      [180, { width: 1_920, height: 1_080 }],
      [270, { width: 1_080, height: 1_920 }],
    ])('that is turned by %d° has the size that it is looked at in', async (rotation, size) => {
      expect(await facts.sizeOf(readable(mp4Film({ width: 1_920, height: 1_080, rotation })))).toEqual(size);
    });

    it('whose pixels are no squares is as wide as it is shown', async () => {
      const film = mp4Film({ width: 720, height: 576, pixel: [64, 45] });
      expect(await facts.sizeOf(readable(film))).toEqual({ width: 1_024, height: 576 });
    });

    it('is hardly read, wherever its header stands', async () => {
      const film = readable(mp4Film({ width: 640, height: 360, mdatSize: 60 * MEGABYTE }));
      expect(await facts.sizeOf(film)).toEqual({ width: 640, height: 360 });
      expect(film.readBytes()).toBeLessThan(4 * MEGABYTE);
    });

    it('may be one of many at once', async () => {
      const films = Array.from({ length: 6 }, (_, at) => mp4Film({ width: 100 + at, height: 50 }));
      const sizes = await Promise.all(films.map((film) => facts.sizeOf(readable(film))));
      expect(sizes.map((size) => size?.width)).toEqual([100, 101, 102, 103, 104, 105]);
    });
  });

  describe('what is no film', () => {
    it.each([
      ['MP4 with sound', mp4Sound()],
      ['WebM with sound', webmSound()],
      ['MP3', mp3Sample()],
      ['Ogg', oggSample()],
      ['WAV', wavSample()],
      ['nothing', new Uint8Array()],
      ['zeros', new Uint8Array(MEGABYTE)],
      ['text', fromLatin1('Film, 640 x 360. '.repeat(1_000))],
      ['a film that breaks off', mp4Film({ width: 640, height: 360 }).subarray(0, 60)],
      ['a box of its own size', Uint8Array.of(0, 0, 0, 0, 0x6d, 0x6f, 0x6f, 0x76)],
    ])('has no size: %s', async (_, content) => {
      expect(await facts.sizeOf(readable(content))).toBeUndefined();
    });

    const films = SAMPLE_FILES.filter(({ mime }) => /^(?:video|audio)/.test(mime));
    const garbled = films.map(({ bytes }) => bytes.map((byte, at) => (at % 7 === 3 && at > 16 ? byte ^ 0xff : byte)));
    it('does not stop the next one, however garbled it is', async () => {
      await Promise.all(garbled.map((content) => facts.sizeOf(readable(content))));
      expect(await facts.sizeOf(readable(mp4Film({ width: 64, height: 36 })))).toEqual({ width: 64, height: 36 });
    }, 30_000);
  });

  describe('a file that cannot be read', () => {
    it('is an error, not a file without a size', async () => {
      const lost: ReadableFile = {
        size: 100,
        read: async () => {
          throw new Error('The store is away');
        },
      };
      await expect(facts.sizeOf(lost)).rejects.toThrow('The store is away');
    });
  });
}

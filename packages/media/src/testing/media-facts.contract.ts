import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { MediaFacts, ReadableFile } from '../index.js';
import { encodeLatin1 } from '../octets.js';
import { mp4Video, mp4Audio, webmVideo, webmAudio } from './sample-videos.js';
import { mp3Sample, oggSample, SAMPLE_FILES, wavSample } from './sample-files.js';

const MEGABYTE = 2 ** 20;
const MANY = 8;

/** A file in memory that counts the bytes read. */
export function readable(content: Uint8Array): ReadableFile & { readonly readBytes: () => number } {
  let count = 0;
  return {
    size: content.length,
    async read(from, length) {
      const range = content.slice(from, from + length);
      count += range.length;
      return range;
    },
    readBytes: () => count,
  };
}

export interface FactsOptions {
  /** Opens other facts with these limits per file. Required to test time, memory and closing. */
  openLimited?(limits: { readonly timeoutMs?: number; readonly memoryMegabytes?: number }): MediaFacts;
  /** Counts the threads of the process. */
  countThreads?(): Promise<number>;
}

/** Tests for every adapter of {@link MediaFacts}. */
export function mediaFactsContract(
  { describe, it, before, after }: Runner,
  open: () => Promise<MediaFacts>,
  { openLimited, countThreads }: FactsOptions = {},
): void {
  let facts: MediaFacts;

  before(async () => {
    facts = await open();
  });
  after(() => facts.close());

  describe('a video', () => {
    eachCase(it, [
      ['MP4', mp4Video({ width: 640, height: 360 })],
      ['WebM', webmVideo({ width: 640, height: 360 })],
    ])('of %s has its size', async (_, video) => {
      expect(await facts.sizeOf(readable(video))).toEqual({ width: 640, height: 360 });
    });

    eachCase(it, [
      [0, { width: 1_920, height: 1_080 }],
      [90, { width: 1_080, height: 1_920 }],
      [180, { width: 1_920, height: 1_080 }],
      [270, { width: 1_080, height: 1_920 }],
    ])('rotated by %d° has its displayed size', async (rotation, size) => {
      expect(await facts.sizeOf(readable(mp4Video({ width: 1_920, height: 1_080, rotation })))).toEqual(size);
    });

    it('of non-square pixels has its displayed width', async () => {
      const film = mp4Video({ width: 720, height: 576, pixel: [64, 45] });
      expect(await facts.sizeOf(readable(film))).toEqual({ width: 1_024, height: 576 });
    });

    it('is read in small parts, with its header anywhere', async () => {
      const film = readable(mp4Video({ width: 640, height: 360, mdatSize: 60 * MEGABYTE }));
      expect(await facts.sizeOf(film)).toEqual({ width: 640, height: 360 });
      expect(film.readBytes()).toBeLessThan(4 * MEGABYTE);
    });

    it('may be one of many concurrent ones', async () => {
      const films = Array.from({ length: 6 }, (_, at) => mp4Video({ width: 100 + at, height: 50 }));
      const sizes = await Promise.all(films.map((film) => facts.sizeOf(readable(film))));
      expect(sizes.map((size) => size?.width)).toEqual([100, 101, 102, 103, 104, 105]);
    });
  });

  describe('anything else', () => {
    eachCase(it, [
      ['MP4 with sound', mp4Audio()],
      ['WebM with sound', webmAudio()],
      ['MP3', mp3Sample()],
      ['Ogg', oggSample()],
      ['WAV', wavSample()],
      ['an empty file', new Uint8Array()],
      ['zeros', new Uint8Array(MEGABYTE)],
      ['text', encodeLatin1('Film, 640 x 360. '.repeat(1_000))],
      ['a truncated video', mp4Video({ width: 640, height: 360 }).subarray(0, 60)],
      ['a video without height', mp4Video({ width: 640, height: 0 })],
      ['a video without width', mp4Video({ width: 0, height: 360 })],
      ['a box of size 0', Uint8Array.of(0, 0, 0, 0, 0x6d, 0x6f, 0x6f, 0x76)],
    ])('has no size: %s', async (_, content) => {
      expect(await facts.sizeOf(readable(content))).toBeUndefined();
    });

    const films = SAMPLE_FILES.filter(({ mime }) => /^(?:video|audio)/.test(mime));
    const garbled = films.map(({ bytes }) => bytes.map((byte, at) => (at % 7 === 3 && at > 16 ? byte ^ 0xff : byte)));
    it('does not affect the next file, however garbled', async () => {
      await Promise.all(garbled.map((content) => facts.sizeOf(readable(content))));
      expect(await facts.sizeOf(readable(mp4Video({ width: 64, height: 36 })))).toEqual({ width: 64, height: 36 });
    }, 30_000);
  });

  describe('a failed read', () => {
    it('rejects', async () => {
      const lost: ReadableFile = {
        size: 100,
        read: async () => {
          throw new Error('The store is unreachable');
        },
      };
      await expect(facts.sizeOf(lost)).rejects.toThrow('The store is unreachable');
    });
  });
  describe('a thread', () => {
    it('ends with its file', async () => {
      const video = mp4Video({ width: 1, height: 1 });
      expect(await facts.sizeOf(readable(video))).toEqual({ width: 1, height: 1 });
      const atFirst = await countThreads?.();
      const lost = { ...readable(video), read: () => Promise.reject(new Error('The store is unreachable')) };
      for (let turn = 0; turn < MANY; turn += 1) {
        await facts.sizeOf(readable(video));
        await facts.sizeOf(lost).catch(() => {});
      }
      if (atFirst !== undefined) expect(await countThreads?.()).toBeLessThan(atFirst + MANY / 2);
    }, 30_000);
  });

  describe('the limits of a file', () => {
    const SIZE = { width: 64, height: 36 };
    const stuck = (): ReadableFile => ({ size: 100, read: () => new Promise<Uint8Array>(() => {}) });

    it('end one that takes too long without a size, and the next one is read', async () => {
      const limited = openLimited?.({ timeoutMs: 1_000 });
      if (limited === undefined) return;
      const sizes = await Promise.all([limited.sizeOf(stuck()), limited.sizeOf(readable(mp4Video(SIZE)))]);
      expect(sizes).toEqual([undefined, SIZE]);
      await limited.close();
    });

    it('end one that is read without end', async () => {
      const patient = openLimited?.({ timeoutMs: 60_000 });
      if (patient === undefined) return;
      let count = 0;
      // Reads as audio in small frames.
      const endless: ReadableFile = {
        size: 10 ** 12,
        async read(_, length) {
          count += length;
          return new Uint8Array(length).fill(0x47);
        },
      };
      expect(await patient.sizeOf(endless)).toBeUndefined();
      expect(count).toBeLessThanOrEqual(64 * MEGABYTE);
      await patient.close();
    }, 60_000);

    it('end one that takes too much memory', async () => {
      const [ample, scarce] = [256, 48].map((memoryMegabytes) => openLimited?.({ memoryMegabytes }));
      if (!ample || !scarce) return;
      const large = readable(mp4Video({ ...SIZE, titleSize: 30 * MEGABYTE }));
      expect(await ample.sizeOf(large)).toEqual(SIZE);
      expect(await scarce.sizeOf(large)).toBeUndefined();
      expect(await scarce.sizeOf(readable(mp4Video(SIZE)))).toEqual(SIZE);
      await Promise.all([ample.close(), scarce.close()]);
    });

    it('do not keep facts from closing, which ends files without a size', async () => {
      const closed = openLimited?.({});
      if (closed === undefined) return;
      const size = closed.sizeOf(stuck());
      await new Promise((resolve) => setTimeout(resolve, 300));
      await closed.close();
      const soon = new Promise((resolve) => setTimeout(() => resolve('still open'), 1_000));
      expect(await Promise.race([size, soon])).toBeUndefined();
    });
  });
}

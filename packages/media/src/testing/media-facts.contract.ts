import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { MediaFacts, ReadableFile } from '../index.js';
import { encodeLatin1 } from '../formats/octets.js';
import { mp4Video, mp4Audio, webmVideo, webmAudio } from './sample-videos.js';
import { mp3Sample, oggSample, SAMPLE_FILES, wavSample } from './sample-files.js';

const MEGABYTE = 2 ** 20;
const REPETITIONS = 8;

export function makeReadableFile(content: Uint8Array): ReadableFile & { readonly readBytes: () => number } {
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
  /** Opens an adapter with these limits per file. Tests of time, memory and closing need this method. */
  openLimited?(limits: { readonly timeoutMs?: number; readonly memoryMegabytes?: number }): MediaFacts;
  countThreads?(): Promise<number>;
}

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
    ])('has a size in %s', async (_, video) => {
      expect(await facts.sizeOf(makeReadableFile(video))).toEqual({ width: 640, height: 360 });
    });

    eachCase(it, [
      [0, { width: 1_920, height: 1_080 }],
      [90, { width: 1_080, height: 1_920 }],
      [180, { width: 1_920, height: 1_080 }],
      [270, { width: 1_080, height: 1_920 }],
    ])('has its displayed size when rotated by %d°', async (rotation, size) => {
      expect(await facts.sizeOf(makeReadableFile(mp4Video({ width: 1_920, height: 1_080, rotation })))).toEqual(size);
    });

    it('has its displayed width with non-square pixels', async () => {
      const video = mp4Video({ width: 720, height: 576, pixel: [64, 45] });
      expect(await facts.sizeOf(makeReadableFile(video))).toEqual({ width: 1_024, height: 576 });
    });

    it('is read in small parts when its header is at the end', async () => {
      const video = makeReadableFile(mp4Video({ width: 640, height: 360, mdatSize: 60 * MEGABYTE }));
      expect(await facts.sizeOf(video)).toEqual({ width: 640, height: 360 });
      expect(video.readBytes()).toBeLessThan(4 * MEGABYTE);
    });

    it('can be read while other videos are read', async () => {
      const videos = Array.from({ length: 6 }, (_, index) => mp4Video({ width: 100 + index, height: 50 }));
      const sizes = await Promise.all(videos.map((video) => facts.sizeOf(makeReadableFile(video))));
      expect(sizes.map((size) => size?.width)).toEqual([100, 101, 102, 103, 104, 105]);
    });
  });

  describe('a file that is not a video', () => {
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
      expect(await facts.sizeOf(makeReadableFile(content))).toBeUndefined();
    });

    const mediaFiles = SAMPLE_FILES.filter(({ mime }) => /^(?:video|audio)/.test(mime));
    const garbledFiles = mediaFiles.map(({ bytes }) =>
      bytes.map((byte, at) => (at % 7 === 3 && at > 16 ? byte ^ 0xff : byte)),
    );
    it('does not affect the next file when its bytes are damaged', async () => {
      await Promise.all(garbledFiles.map((content) => facts.sizeOf(makeReadableFile(content))));
      expect(await facts.sizeOf(makeReadableFile(mp4Video({ width: 64, height: 36 })))).toEqual({
        width: 64,
        height: 36,
      });
    }, 30_000);
  });

  describe('a failed read of a file', () => {
    it('rejects the call', async () => {
      const failingFile: ReadableFile = {
        size: 100,
        read: async () => {
          throw new Error('The store is unreachable');
        },
      };
      await expect(facts.sizeOf(failingFile)).rejects.toThrow('The store is unreachable');
    });
  });
  describe('a worker thread', () => {
    it('ends as soon as the work on its file ends', async () => {
      const video = mp4Video({ width: 1, height: 1 });
      expect(await facts.sizeOf(makeReadableFile(video))).toEqual({ width: 1, height: 1 });
      const initialThreads = await countThreads?.();
      const failingFile = {
        ...makeReadableFile(video),
        read: () => Promise.reject(new Error('The store is unreachable')),
      };
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
        await facts.sizeOf(makeReadableFile(video));
        await facts.sizeOf(failingFile).catch(() => {});
      }
      if (initialThreads !== undefined) expect(await countThreads?.()).toBeLessThan(initialThreads + REPETITIONS / 2);
    }, 30_000);
  });

  describe('the limits for the processing of a file', () => {
    const SIZE = { width: 64, height: 36 };
    const makeStuckFile = (): ReadableFile => ({ size: 100, read: () => new Promise<Uint8Array>(() => {}) });

    it('end the processing of a file that takes too long, and of no other file', async () => {
      const limitedFacts = openLimited?.({ timeoutMs: 1_000 });
      if (limitedFacts === undefined) return;
      const sizes = await Promise.all([
        limitedFacts.sizeOf(makeStuckFile()),
        limitedFacts.sizeOf(makeReadableFile(mp4Video(SIZE))),
      ]);
      expect(sizes).toEqual([undefined, SIZE]);
      await limitedFacts.close();
    });

    it('end the processing of a file whose content never ends', async () => {
      const limitedFacts = openLimited?.({ timeoutMs: 60_000 });
      if (limitedFacts === undefined) return;
      let count = 0;
      // The library parses these bytes as small audio frames.
      const endlessFile: ReadableFile = {
        size: 10 ** 12,
        async read(_, length) {
          count += length;
          return new Uint8Array(length).fill(0x47);
        },
      };
      expect(await limitedFacts.sizeOf(endlessFile)).toBeUndefined();
      expect(count).toBeLessThanOrEqual(64 * MEGABYTE);
      await limitedFacts.close();
    }, 60_000);

    it('end the processing of a file that takes too much memory', async () => {
      const [highMemoryFacts, lowMemoryFacts] = [256, 48].map((memoryMegabytes) => openLimited?.({ memoryMegabytes }));
      if (!highMemoryFacts || !lowMemoryFacts) return;
      const largeFile = makeReadableFile(mp4Video({ ...SIZE, titleSize: 30 * MEGABYTE }));
      expect(await highMemoryFacts.sizeOf(largeFile)).toEqual(SIZE);
      expect(await lowMemoryFacts.sizeOf(largeFile)).toBeUndefined();
      expect(await lowMemoryFacts.sizeOf(makeReadableFile(mp4Video(SIZE)))).toEqual(SIZE);
      await Promise.all([highMemoryFacts.close(), lowMemoryFacts.close()]);
    });

    it('do not delay `close`, which ends the work on open files without a size', async () => {
      const closingFacts = openLimited?.({});
      if (closingFacts === undefined) return;
      const size = closingFacts.sizeOf(makeStuckFile());
      await new Promise((resolve) => setTimeout(resolve, 300));
      await closingFacts.close();
      const timeout = new Promise((resolve) => setTimeout(() => resolve('still open'), 1_000));
      expect(await Promise.race([size, timeout])).toBeUndefined();
    });
  });
}

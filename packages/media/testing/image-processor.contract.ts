import { UnreadableFile, type ImageFacts, type ImageProcessor, type OutputFormat } from '../src/index.js';

/** An image as a test sees it after it was processed. */
export interface SeenImage {
  readonly width: number;
  readonly height: number;
  readonly mime: string;
  readonly pages: number;
  readonly hasMetadata: boolean;
  /** Red, green, blue and alpha, 0–255, of the pixel at these parts (0–1) of width and height. */
  at(x: number, y: number): Promise<readonly [number, number, number, number]>;
}

/**
 * Images to process, drawn by a library that the adapter under test need not share: four quarters, red, green, blue
 * and white from the top left on, as they are to be looked at.
 */
export interface SampleImages {
  still(mime: string, width: number, height: number, orientation?: number): Promise<Uint8Array>;
  animated(mime: 'image/gif' | 'image/webp', width: number, height: number, frames: number): Promise<Uint8Array>;
  /** Its lower half is transparent. */
  transparent(width: number, height: number): Promise<Uint8Array>;
  cmyk(width: number, height: number): Promise<Uint8Array>;
  deep(width: number, height: number): Promise<Uint8Array>;
  /** With a place in its EXIF. */
  located(width: number, height: number): Promise<Uint8Array>;
  look(bytes: Uint8Array): Promise<SeenImage>;
}

export interface GivenProcessor {
  readonly processor: ImageProcessor;
  readonly samples: SampleImages;
}

const still = (mime: string, width: number, height: number): ImageFacts => ({
  mime,
  width,
  height,
  animated: false,
  cmyk: false,
});
const QUALITY = 82;
const FORMATS: readonly OutputFormat[] = ['original', 'webp', 'jpeg', 'avif'];
const STILLS = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff', 'image/bmp'];

/**
 * What every image processor promises of the images that it says it can process. `drawn` are the types that the samples
 * can be drawn in.
 */
export function imageProcessorContract(open: () => Promise<GivenProcessor>, drawn: readonly string[]): void {
  let processor: ImageProcessor;
  let samples: SampleImages;

  beforeAll(async () => {
    ({ processor, samples } = await open());
  });
  afterAll(() => processor.close());

  const looked = async (
    bytes: Uint8Array,
    facts: ImageFacts,
    widths: readonly number[],
    format: OutputFormat = 'webp',
  ) => {
    const outputs = widths.map((width) => ({ width, format, quality: QUALITY }));
    const made = await processor.process(bytes, facts, outputs);
    return Promise.all(made.map(async (each) => ({ told: each, seen: await samples.look(each.bytes) })));
  };

  async function expectQuarters(seen: SeenImage): Promise<void> {
    const near = async (x: number, y: number): Promise<string> =>
      (await seen.at(x, y))
        .slice(0, 3)
        .map((value) => (value > 127 ? 1 : 0))
        .join('');
    expect([await near(0.25, 0.25), await near(0.75, 0.25), await near(0.25, 0.75), await near(0.75, 0.75)]).toEqual([
      '100',
      '010',
      '001',
      '111',
    ]);
  }

  describe('an image', () => {
    it('becomes one for each output, in their order, in its shape, and never larger', async () => {
      const bytes = await samples.still('image/jpeg', 200, 100);
      const all = await looked(bytes, still('image/jpeg', 200, 100), [50, 200, 120, 900]);
      expect(all.map(({ told: { width, height } }) => [width, height])).toEqual([
        [50, 25],
        [200, 100],
        [120, 60],
        [200, 100],
      ]);
      for (const { told, seen } of all) {
        expect([seen.width, seen.height, seen.mime]).toEqual([told.width, told.height, 'image/webp']);
        await expectQuarters(seen);
      }
    });

    it.each(
      STILLS.filter((mime) => drawn.includes(mime)).flatMap((mime) => FORMATS.map((format) => [mime, format] as const)),
    )('of %s becomes %s, where the processor says so', async (mime, format) => {
      const facts = still(mime, 80, 80);
      if (!processor.can(facts, format)) return;
      const [made] = await looked(await samples.still(mime, 80, 80), facts, [40], format);
      expect(made?.seen.mime).toBe(format === 'original' ? mime : `image/${format}`);
      expect([made?.seen.width, made?.seen.height]).toEqual([40, 40]);
      await expectQuarters(made!.seen);
    });

    it('is not made larger than a format has room for', () => {
      const tall = still('image/png', 100, 20_000);
      expect(processor.can(tall, 'webp')).toBe(false);
      expect(processor.can(tall, 'webp', 50)).toBe(true);
      expect(processor.can(tall, 'original')).toBe(true);
    });

    it('can be a JPEG and a PNG at least, kept or made a WebP', () => {
      for (const mime of ['image/jpeg', 'image/png'])
        for (const format of ['original', 'webp', 'jpeg'] as const)
          expect(processor.can(still(mime, 1, 1), format)).toBe(true);
    });

    it.each([1, 2, 3, 4, 5, 6, 7, 8])('that was taken in EXIF orientation %d stands upright', async (orientation) => {
      const bytes = await samples.still('image/jpeg', 120, 60, orientation);
      const [made] = await looked(bytes, still('image/jpeg', 120, 60), [60]);
      expect([made?.seen.width, made?.seen.height]).toEqual([60, 30]);
      await expectQuarters(made!.seen);
    });

    it('says no more where it was taken, nor anything else of its camera', async () => {
      const bytes = await samples.located(64, 64);
      expect((await samples.look(bytes)).hasMetadata).toBe(true);
      for (const format of ['original', 'webp', 'jpeg'] as const) {
        const [made] = await looked(bytes, still('image/jpeg', 64, 64), [64], format);
        expect(made?.seen.hasMetadata).toBe(false);
        expect(Buffer.from(made!.told.bytes).includes('GPS')).toBe(false);
      }
    });

    it('that is transparent stays so in WebP, and is on white in JPEG', async () => {
      const bytes = await samples.transparent(60, 60);
      const [[webp], [jpeg]] = [
        await looked(bytes, still('image/png', 60, 60), [30], 'webp'),
        await looked(bytes, still('image/png', 60, 60), [30], 'jpeg'),
      ];
      expect((await webp!.seen.at(0.5, 0.9))[3]).toBe(0);
      expect((await webp!.seen.at(0.5, 0.1))[3]).toBe(255);
      expect((await jpeg!.seen.at(0.5, 0.9)).slice(0, 3).every((value) => value > 240)).toBe(true);
    });

    it('with 16 bits a channel is processed', async () => {
      const [made] = await looked(await samples.deep(64, 64), still('image/png', 64, 64), [32]);
      await expectQuarters(made!.seen);
    });

    it('in CMYK is processed in its colours, where the processor says so', async () => {
      const facts = { ...still('image/jpeg', 64, 64), cmyk: true };
      if (!processor.can(facts, 'webp')) return;
      const bytes = await samples.cmyk(64, 64);
      const [[made], before] = [await looked(bytes, facts, [32]), await samples.look(bytes)];
      for (const [x, y] of [
        [0.25, 0.25],
        [0.75, 0.25],
        [0.25, 0.75],
        [0.75, 0.75],
      ] as const) {
        const [is, was] = [await made!.seen.at(x, y), await before.at(x, y)];
        expect(Math.max(...is.map((value, channel) => Math.abs(value - (was[channel] ?? 0))))).toBeLessThan(24);
      }
    });

    it.each(['image/gif', 'image/webp'] as const)(
      'of %s that moves keeps moving, where the processor says so',
      async (mime) => {
        const facts = { ...still(mime, 60, 40), animated: true };
        if (!processor.can(facts, 'webp')) return;
        const [made] = await looked(await samples.animated(mime, 60, 40, 4), facts, [30]);
        expect([made?.seen.pages, made?.told.width, made?.told.height]).toEqual([4, 30, 20]);
      },
    );

    it('may be one of many at once', async () => {
      const bytes = await samples.still('image/jpeg', 300, 300);
      const all = await Promise.all(
        Array.from({ length: 8 }, () => looked(bytes, still('image/jpeg', 300, 300), [100])),
      );
      expect(all.map(([made]) => made?.seen.width)).toEqual(Array.from({ length: 8 }, () => 100));
    });

    it('keeps nothing else waiting while it is processed', async () => {
      const bytes = await samples.still('image/jpeg', 3_000, 2_000);
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      await processor.process(bytes, still('image/jpeg', 3_000, 2_000), [
        { width: 640, format: 'webp', quality: QUALITY },
      ]);
      clearInterval(beat);
      expect(longest).toBeLessThan(400);
    }, 60_000);
  });

  describe('an image that is broken', () => {
    it.each(['cut off', 'garbled', 'empty', 'no image'])('is refused: %s', async (how) => {
      const whole = await samples.still('image/png', 200, 200);
      const broken: Readonly<Record<string, Uint8Array>> = {
        'cut off': whole.subarray(0, Math.floor(whole.length / 2)),
        garbled: whole.map((byte, index) => (index > 60 && index % 3 === 0 ? byte ^ 0xff : byte)),
        empty: new Uint8Array(),
        'no image': new TextEncoder().encode('<html>'.repeat(100)),
      };
      const output = { width: 100, format: 'webp' as const, quality: QUALITY };
      await expect(processor.process(broken[how]!, still('image/png', 200, 200), [output])).rejects.toThrow(
        UnreadableFile,
      );
    });

    it('does not stop the next one', async () => {
      const output = { width: 10, format: 'webp' as const, quality: QUALITY };
      await processor.process(new Uint8Array([1, 2, 3]), still('image/png', 9, 9), [output]).catch(() => {});
      const [made] = await looked(await samples.still('image/png', 40, 40), still('image/png', 40, 40), [20]);
      expect(made?.seen.width).toBe(20);
    });
  });
}

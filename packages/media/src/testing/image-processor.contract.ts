import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ImageFacts, ImageProcessor, ImageType, OutputFormat } from '../index.js';

/** A processed image. */
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
 * Images to process, drawn by any library. Displayed, they have four quarters: red, green, blue and white from the top
 * left.
 */
export interface SampleImages {
  still(mime: ImageType, width: number, height: number, orientation?: number): Promise<Uint8Array>;
  animated(mime: 'image/gif' | 'image/webp', width: number, height: number, frames: number): Promise<Uint8Array>;
  /** A JPEG of noise, which compresses badly. */
  noisy(width: number, height: number): Promise<Uint8Array>;
  /** Its lower half is transparent. */
  transparent(width: number, height: number): Promise<Uint8Array>;
  /** A JPEG in CMYK, with an ICC profile. */
  cmyk(width: number, height: number): Promise<Uint8Array>;
  /** A PNG of 16 bits a channel. */
  deep(width: number, height: number): Promise<Uint8Array>;
  /** A JPEG with a location and a camera in its EXIF. */
  located(width: number, height: number): Promise<Uint8Array>;
  look(bytes: Uint8Array): Promise<SeenImage>;
}

/** What a processor can convert. */
export interface DeclaredConversions {
  readonly read: readonly ImageType[];
  readonly written: readonly ImageType[];
  /** Of animated images. */
  readonly animated: readonly ImageType[];
  readonly cmyk: boolean;
}

export interface GivenProcessor {
  readonly processor: ImageProcessor;
  readonly samples: SampleImages;
  readonly declared?: DeclaredConversions;
  /** Opens another processor with this pixel limit. */
  openLimited?(pixelLimit: number): ImageProcessor;
}

const still = (mime: ImageType, width: number, height: number): ImageFacts => ({
  mime,
  width,
  height,
  animated: false,
  cmyk: false,
});
const QUALITY = 82;
const FORMATS: readonly OutputFormat[] = ['original', 'webp', 'jpeg', 'avif'];
const STILLS: readonly ImageType[] = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/tiff',
  'image/bmp',
];
/** Maximum difference of red, green and blue from the CMYK image as the samples' library decodes it. */
const CMYK_TOLERANCE = 24;

/** Tests for every adapter of {@link ImageProcessor}. `drawn` are the types that the samples can be drawn in. */
export function imageProcessorContract(
  { describe, it, before, after }: Runner,
  open: () => Promise<GivenProcessor>,
  drawn: readonly ImageType[],
): void {
  let given: GivenProcessor;
  let processor: ImageProcessor;
  let samples: SampleImages;

  before(async () => {
    given = await open();
    ({ processor, samples } = given);
  });
  after(() => processor.close());

  const process = async (
    bytes: Uint8Array,
    facts: ImageFacts,
    widths: readonly number[],
    format: OutputFormat = 'webp',
  ) => {
    const outputs = widths.map((width) => ({ width, format, quality: QUALITY }));
    const made = await processor.process(bytes, facts, outputs);
    return Promise.all(made.map(async (each) => ({ output: each, seen: await samples.look(each.bytes) })));
  };

  /** The result of `can` with its arguments, for the message of a failure. */
  const describeCan = (image: ImageFacts, format: OutputFormat, width?: number): string => {
    const question = `${image.mime} ${image.width}×${image.height} as ${format}, ${width ?? image.width} wide`;
    return `${processor.can(image, format, width) ? 'can' : "can't"}: ${question}`;
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
    it('becomes one image per output, in order, never enlarged', async () => {
      const bytes = await samples.still('image/jpeg', 200, 100);
      const all = await process(bytes, still('image/jpeg', 200, 100), [50, 200, 120, 900]);
      expect(all.map(({ output: { width, height } }) => [width, height])).toEqual([
        [50, 25],
        [200, 100],
        [120, 60],
        [200, 100],
      ]);
      for (const { output, seen } of all) {
        expect([seen.width, seen.height, seen.mime]).toEqual([output.width, output.height, 'image/webp']);
        await expectQuarters(seen);
      }
    });

    eachCase(
      it,
      STILLS.filter((mime) => drawn.includes(mime)).flatMap((mime) => FORMATS.map((format) => [mime, format] as const)),
    )('of %s becomes %s, if supported', async (mime, format) => {
      const facts = still(mime, 80, 80);
      if (!processor.can(facts, format)) return;
      const [made] = await process(await samples.still(mime, 80, 80), facts, [40], format);
      expect(made?.seen.mime).toBe(format === 'original' ? mime : `image/${format}`);
      expect([made?.seen.width, made?.seen.height]).toEqual([40, 40]);
      expect(made?.output).toMatchObject({ mime: made?.seen.mime, width: 40, height: 40 });
      await expectQuarters(made!.seen);
    });

    it('can be converted as declared', () => {
      const { declared } = given;
      if (declared === undefined) return;
      const expectDeclared = (mime: ImageType, format: OutputFormat): void => {
        const type = format === 'original' ? mime : (`image/${format}` as ImageType);
        const isRead = declared.read.includes(mime);
        const can = (image: Partial<ImageFacts>) => processor.can({ ...still(mime, 8, 8), ...image }, format);
        expect([mime, format, can({}), can({ animated: true }), can({ cmyk: true })]).toEqual([
          mime,
          format,
          isRead && declared.written.includes(type),
          isRead && declared.animated.includes(type),
          isRead && declared.written.includes(type) && declared.cmyk,
        ]);
      };
      for (const mime of STILLS) for (const format of FORMATS) expectDeclared(mime, format);
      expect(processor.can({ ...still('image/png', 8, 8), mime: 'image/svg+xml' }, 'webp')).toBe(false);
    });

    eachCase(it, ['webp', 'jpeg', 'avif'] as const)('has fewer bytes at a lower quality: %s', async (format) => {
      const facts = still('image/jpeg', 200, 200);
      if (!processor.can(facts, format)) return;
      const outputs = [90, 60, 20].map((quality) => ({ width: 150, format, quality }));
      const made = await processor.process(await samples.noisy(200, 200), facts, outputs);
      const sizes = made.map(({ bytes }) => bytes.length);
      expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a));
    });

    it('is processed up to the pixel limit, and unreadable above it', async () => {
      const limited = given.openLimited?.(40 * 30);
      if (limited === undefined) return;
      const output = { width: 20, format: 'webp' as const, quality: QUALITY };
      const bytes = await samples.still('image/png', 40, 30);
      expect(await limited.process(bytes, still('image/png', 40, 30), [output])).toMatchObject([{ width: 20 }]);
      const large = await samples.still('image/png', 41, 30);
      await expect(limited.process(large, still('image/png', 41, 30), [output])).rejects.toMatchObject({
        name: 'UnreadableFile',
      });
      await limited.close();
    });

    it('in work is given up when the processor closes', async () => {
      const other = given.openLimited?.(100_000_000);
      if (other === undefined) return;
      const bytes = await samples.still('image/jpeg', 3_000, 2_000);
      const output = { width: 2_900, format: 'webp' as const, quality: QUALITY };
      const work = other.process(bytes, still('image/jpeg', 3_000, 2_000), [output, output, output]);
      const ended = work.then(
        () => 'done',
        () => 'given up',
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      await other.close();
      expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000))])).toBe('given up');
    }, 30_000);

    it('without outputs becomes an empty list', async () => {
      const bytes = await samples.still('image/png', 20, 20);
      expect(await processor.process(bytes, still('image/png', 20, 20), [])).toEqual([]);
    });

    it('must fit the limits of the format', () => {
      const tall = still('image/png', 100, 20_000);
      expect(describeCan(tall, 'webp')).toBe("can't: image/png 100×20000 as webp, 100 wide");
      expect(describeCan(tall, 'webp', 50)).toBe('can: image/png 100×20000 as webp, 50 wide');
      expect(describeCan(tall, 'original')).toBe('can: image/png 100×20000 as original, 100 wide');
    });

    it('can be a JPEG or PNG, and become JPEG or WebP', () => {
      for (const mime of ['image/jpeg', 'image/png'] as const)
        for (const format of ['original', 'webp', 'jpeg'] as const)
          expect(describeCan(still(mime, 1, 1), format)).toBe(`can: ${mime} 1×1 as ${format}, 1 wide`);
    });

    eachCase(it, [1, 2, 3, 4, 5, 6, 7, 8])('in EXIF orientation %d becomes upright', async (orientation) => {
      const bytes = await samples.still('image/jpeg', 120, 60, orientation);
      const [made] = await process(bytes, still('image/jpeg', 120, 60), [60]);
      expect([made?.seen.width, made?.seen.height]).toEqual([60, 30]);
      await expectQuarters(made!.seen);
    });

    it('loses all metadata', async () => {
      const bytes = await samples.located(64, 64);
      expect((await samples.look(bytes)).hasMetadata).toBe(true);
      for (const format of ['original', 'webp', 'jpeg'] as const) {
        const [made] = await process(bytes, still('image/jpeg', 64, 64), [64], format);
        expect(made?.seen.hasMetadata).toBe(false);
        expect(Buffer.from(made!.output.bytes).includes('GPS')).toBe(false);
      }
    });

    it('keeps transparency in WebP, and gets a white background in JPEG', async () => {
      const bytes = await samples.transparent(60, 60);
      const [[webp], [jpeg]] = [
        await process(bytes, still('image/png', 60, 60), [30], 'webp'),
        await process(bytes, still('image/png', 60, 60), [30], 'jpeg'),
      ];
      expect((await webp!.seen.at(0.5, 0.9))[3]).toBe(0);
      expect((await webp!.seen.at(0.5, 0.1))[3]).toBe(255);
      expect((await jpeg!.seen.at(0.5, 0.9)).slice(0, 3).every((value) => value > 240)).toBe(true);
    });

    it('may have 16 bits per channel', async () => {
      const [made] = await process(await samples.deep(64, 64), still('image/png', 64, 64), [32]);
      await expectQuarters(made!.seen);
    });

    it('in CMYK keeps its colours, if supported', async () => {
      const facts = { ...still('image/jpeg', 64, 64), cmyk: true };
      if (!processor.can(facts, 'webp')) return;
      const bytes = await samples.cmyk(64, 64);
      const [[made], original] = [await process(bytes, facts, [32]), await samples.look(bytes)];
      for (const [x, y] of [
        [0.25, 0.25],
        [0.75, 0.25],
        [0.25, 0.75],
        [0.75, 0.75],
      ] as const) {
        const [is, was] = [await made!.seen.at(x, y), await original.at(x, y)];
        expect(Math.max(...is.map((value, channel) => Math.abs(value - (was[channel] ?? 0))))).toBeLessThan(
          CMYK_TOLERANCE,
        );
      }
    });

    eachCase(it, ['image/gif', 'image/webp'] as const)('of animated %s stays animated, if supported', async (mime) => {
      const facts = { ...still(mime, 60, 40), animated: true };
      if (!processor.can(facts, 'webp')) return;
      const [made] = await process(await samples.animated(mime, 60, 40, 4), facts, [30]);
      expect([made?.seen.pages, made?.output.width, made?.output.height]).toEqual([4, 30, 20]);
    });

    it('may be one of many concurrent ones', async () => {
      const bytes = await samples.still('image/jpeg', 300, 300);
      const all = await Promise.all(
        Array.from({ length: 8 }, () => process(bytes, still('image/jpeg', 300, 300), [100])),
      );
      expect(all.map(([made]) => made?.seen.width)).toEqual(Array.from({ length: 8 }, () => 100));
    });

    it('does not block the event loop', async () => {
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

  describe('a broken image', () => {
    eachCase(it, ['truncated', 'garbled', 'empty', 'no image'])('is rejected: %s', async (how) => {
      const whole = await samples.still('image/png', 200, 200);
      const broken: Readonly<Record<string, Uint8Array>> = {
        truncated: whole.subarray(0, Math.floor(whole.length / 2)),
        garbled: whole.map((byte, index) => (index > 60 && index % 3 === 0 ? byte ^ 0xff : byte)),
        empty: new Uint8Array(),
        'no image': new TextEncoder().encode('<html>'.repeat(100)),
      };
      const output = { width: 100, format: 'webp' as const, quality: QUALITY };
      await expect(processor.process(broken[how]!, still('image/png', 200, 200), [output])).rejects.toMatchObject({
        name: 'UnreadableFile',
      });
    });

    it('does not affect the next one', async () => {
      const output = { width: 10, format: 'webp' as const, quality: QUALITY };
      await processor.process(new Uint8Array([1, 2, 3]), still('image/png', 9, 9), [output]).catch(() => {});
      const [made] = await process(await samples.still('image/png', 40, 40), still('image/png', 40, 40), [20]);
      expect(made?.seen.width).toBe(20);
    });
  });
}

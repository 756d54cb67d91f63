import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ImageFacts, ImageProcessor, ImageType, OutputFormat } from '../index.js';
import { longestPauseShare } from './event-loop.js';

export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly mime: string;
  readonly pages: number;
  readonly hasMetadata: boolean;
  /** Returns red, green, blue and alpha (0–255) of a pixel. `x` and `y` are fractions (0–1) of width and height. */
  pixelAt(x: number, y: number): Promise<readonly [number, number, number, number]>;
}

/**
 * Test images, which any library may draw. The displayed image has four quarters: red and green above, blue and white
 * below.
 */
export interface SampleImages {
  still(mime: ImageType, width: number, height: number, orientation?: number): Promise<Uint8Array>;
  animated(mime: 'image/gif' | 'image/webp', width: number, height: number, frames: number): Promise<Uint8Array>;
  /** A JPEG of noise, which compresses badly. */
  noisy(width: number, height: number): Promise<Uint8Array>;
  /** The lower half of the image is transparent. */
  transparent(width: number, height: number): Promise<Uint8Array>;
  cmyk(width: number, height: number): Promise<Uint8Array>;
  /** A PNG with 16 bits per channel. */
  deep(width: number, height: number): Promise<Uint8Array>;
  /** A JPEG with a location and a camera in its EXIF. */
  withLocation(width: number, height: number): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<DecodedImage>;
}

export interface SupportedConversions {
  readonly inputTypes: readonly ImageType[];
  readonly outputTypes: readonly ImageType[];
  readonly animatedTypes: readonly ImageType[];
  readonly canReadCmyk: boolean;
}

export interface ProcessorFixture {
  readonly processor: ImageProcessor;
  readonly samples: SampleImages;
  readonly conversions?: SupportedConversions;
  openLimited?(pixelLimit: number): ImageProcessor;
  /**
   * Opens a processor whose limit is too low for a WebP of 26 megapixels, but high enough for 20 × 20 pixels. Tests of
   * `CostlyFile` need this method.
   */
  openCostLimited?(limit: 'CPU time' | 'memory'): ImageProcessor;
}

const stillFacts = (mime: ImageType, width: number, height: number): ImageFacts => ({
  mime,
  width,
  height,
  animated: false,
  cmyk: false,
});
const QUALITY = 82;
const LARGE = stillFacts('image/jpeg', 5_200, 5_000);
const FORMATS: readonly OutputFormat[] = ['original', 'webp', 'jpeg', 'avif'];
const IMAGE_TYPES: readonly ImageType[] = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/tiff',
  'image/bmp',
];
/**
 * Maximum difference of red, green and blue between two conversions of a CMYK image: by the processor and by the
 * fixture.
 */
const CMYK_TOLERANCE = 24;

/** `drawableTypes` are the types in which the fixture can draw samples. */
export function imageProcessorContract(
  { describe, it, before, after }: Runner,
  open: () => Promise<ProcessorFixture>,
  drawableTypes: readonly ImageType[],
): void {
  let fixture: ProcessorFixture;
  let processor: ImageProcessor;
  let samples: SampleImages;

  before(async () => {
    fixture = await open();
    ({ processor, samples } = fixture);
  });
  after(() => processor.close());

  let largeImage: Promise<Uint8Array> | undefined;
  const drawLargeImage = () => (largeImage ??= samples.still('image/jpeg', LARGE.width, LARGE.height));

  const process = async (
    bytes: Uint8Array,
    facts: ImageFacts,
    widths: readonly number[],
    format: OutputFormat = 'webp',
  ) => {
    const outputs = widths.map((width) => ({ width, format, quality: QUALITY }));
    const images = await processor.process(bytes, facts, outputs);
    return Promise.all(images.map(async (image) => ({ output: image, decoded: await samples.decode(image.bytes) })));
  };

  const describeCan = (image: ImageFacts, format: OutputFormat, width?: number): string => {
    const question = `${image.mime} ${image.width}×${image.height} as ${format}, ${width ?? image.width} wide`;
    return `${processor.can(image, format, width) ? 'can' : "can't"}: ${question}`;
  };

  async function expectQuarters(image: DecodedImage): Promise<void> {
    const colourNear = async (x: number, y: number): Promise<string> =>
      (await image.pixelAt(x, y))
        .slice(0, 3)
        .map((value) => (value > 127 ? 1 : 0))
        .join('');
    expect([
      await colourNear(0.25, 0.25),
      await colourNear(0.75, 0.25),
      await colourNear(0.25, 0.75),
      await colourNear(0.75, 0.75),
    ]).toEqual(['100', '010', '001', '111']);
  }

  describe('an image', () => {
    it('has one result per requested output, in their order, and is never enlarged', async () => {
      const bytes = await samples.still('image/jpeg', 200, 100);
      const results = await process(bytes, stillFacts('image/jpeg', 200, 100), [50, 200, 120, 900]);
      expect(results.map(({ output: { width, height } }) => [width, height])).toEqual([
        [50, 25],
        [200, 100],
        [120, 60],
        [200, 100],
      ]);
      for (const { output, decoded } of results) {
        expect([decoded.width, decoded.height, decoded.mime]).toEqual([output.width, output.height, 'image/webp']);
        await expectQuarters(decoded);
      }
    });

    eachCase(
      it,
      IMAGE_TYPES.filter((mime) => drawableTypes.includes(mime)).flatMap((mime) =>
        FORMATS.map((format) => [mime, format] as const),
      ),
    )('is converted from %s to %s, if supported', async (mime, format) => {
      const facts = stillFacts(mime, 80, 80);
      if (!processor.can(facts, format)) return;
      const [result] = await process(await samples.still(mime, 80, 80), facts, [40], format);
      expect(result?.decoded.mime).toBe(format === 'original' ? mime : `image/${format}`);
      expect([result?.decoded.width, result?.decoded.height]).toEqual([40, 40]);
      expect(result?.output).toMatchObject({ mime: result?.decoded.mime, width: 40, height: 40 });
      await expectQuarters(result!.decoded);
    });

    it('can be converted if and only if `can` returns true', () => {
      const { conversions } = fixture;
      if (conversions === undefined) return;
      const expectSupported = (mime: ImageType, format: OutputFormat): void => {
        const type = format === 'original' ? mime : (`image/${format}` as ImageType);
        const isRead = conversions.inputTypes.includes(mime);
        const can = (image: Partial<ImageFacts>) => processor.can({ ...stillFacts(mime, 8, 8), ...image }, format);
        expect([mime, format, can({}), can({ animated: true }), can({ cmyk: true })]).toEqual([
          mime,
          format,
          isRead && conversions.outputTypes.includes(type),
          isRead && [mime, type].every((animatedType) => conversions.animatedTypes.includes(animatedType)),
          isRead && conversions.outputTypes.includes(type) && conversions.canReadCmyk,
        ]);
      };
      for (const mime of IMAGE_TYPES) for (const format of FORMATS) expectSupported(mime, format);
      expect(processor.can({ ...stillFacts('image/png', 8, 8), mime: 'image/svg+xml' }, 'webp')).toBe(false);
    });

    eachCase(it, ['webp', 'jpeg', 'avif'] as const)('has fewer bytes at a lower quality: %s', async (format) => {
      const facts = stillFacts('image/jpeg', 200, 200);
      if (!processor.can(facts, format)) return;
      const outputs = [90, 60, 20].map((quality) => ({ width: 150, format, quality }));
      const images = await processor.process(await samples.noisy(200, 200), facts, outputs);
      const sizes = images.map(({ bytes }) => bytes.length);
      expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a));
    });

    it('is unreadable above the pixel limit', async () => {
      const limitedProcessor = fixture.openLimited?.(40 * 30);
      if (limitedProcessor === undefined) return;
      const output = { width: 20, format: 'webp' as const, quality: QUALITY };
      const bytes = await samples.still('image/png', 40, 30);
      expect(await limitedProcessor.process(bytes, stillFacts('image/png', 40, 30), [output])).toMatchObject([
        { width: 20 },
      ]);
      const widerImage = await samples.still('image/png', 41, 30);
      await expect(
        limitedProcessor.process(widerImage, stillFacts('image/png', 41, 30), [output]),
      ).rejects.toMatchObject({
        name: 'UnreadableFile',
      });
      await limitedProcessor.close();
    });

    it('is abandoned when the processor closes', async () => {
      const limitedProcessor = fixture.openLimited?.(100_000_000);
      if (limitedProcessor === undefined) return;
      const bytes = await samples.still('image/jpeg', 3_000, 2_000);
      const output = { width: 2_900, format: 'webp' as const, quality: QUALITY };
      const processing = limitedProcessor.process(bytes, stillFacts('image/jpeg', 3_000, 2_000), [
        output,
        output,
        output,
      ]);
      const outcome = processing.then(
        () => 'done',
        () => 'given up',
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      await limitedProcessor.close();
      expect(await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 1_000))])).toBe('given up');
    }, 30_000);

    it('is at least one pixel high', async () => {
      const bytes = await samples.still('image/png', 1_000, 6);
      const [result] = await process(bytes, stillFacts('image/png', 1_000, 6), [100]);
      expect(result).toMatchObject({ output: { width: 100, height: 1 }, decoded: { width: 100, height: 1 } });
    });

    it('keeps its size and content when large', async () => {
      const { width, height } = LARGE;
      const [result] = await process(await drawLargeImage(), LARGE, [width]);
      expect(result).toMatchObject({ output: { width, height }, decoded: { width, height } });
      await expectQuarters(result!.decoded);
    }, 60_000);

    it('has no outputs when none is requested', async () => {
      const bytes = await samples.still('image/png', 20, 20);
      expect(await processor.process(bytes, stillFacts('image/png', 20, 20), [])).toEqual([]);
    });

    it('cannot be converted beyond the size limit of the format', () => {
      const tallImage = stillFacts('image/png', 100, 20_000);
      expect(describeCan(tallImage, 'webp')).toBe("can't: image/png 100×20000 as webp, 100 wide");
      expect(describeCan(tallImage, 'webp', 50)).toBe('can: image/png 100×20000 as webp, 50 wide');
      expect(describeCan(tallImage, 'original')).toBe('can: image/png 100×20000 as original, 100 wide');
    });

    it('can always be converted from JPEG or PNG to JPEG or WebP', () => {
      for (const mime of ['image/jpeg', 'image/png'] as const)
        for (const format of ['original', 'webp', 'jpeg'] as const)
          expect(describeCan(stillFacts(mime, 1, 1), format)).toBe(`can: ${mime} 1×1 as ${format}, 1 wide`);
    });

    eachCase(it, [1, 2, 3, 4, 5, 6, 7, 8])('becomes upright from EXIF orientation %d', async (orientation) => {
      const bytes = await samples.still('image/jpeg', 120, 60, orientation);
      const [result] = await process(bytes, stillFacts('image/jpeg', 120, 60), [60]);
      expect([result?.decoded.width, result?.decoded.height]).toEqual([60, 30]);
      await expectQuarters(result!.decoded);
    });

    it('loses all metadata', async () => {
      const bytes = await samples.withLocation(64, 64);
      expect((await samples.decode(bytes)).hasMetadata).toBe(true);
      for (const format of ['original', 'webp', 'jpeg'] as const) {
        const [result] = await process(bytes, stillFacts('image/jpeg', 64, 64), [64], format);
        expect(result?.decoded.hasMetadata).toBe(false);
        expect(Buffer.from(result!.output.bytes).includes('GPS')).toBe(false);
      }
    });

    it('keeps transparency in WebP, and gets a white background in JPEG', async () => {
      const bytes = await samples.transparent(60, 60);
      const [[webp], [jpeg]] = [
        await process(bytes, stillFacts('image/png', 60, 60), [30], 'webp'),
        await process(bytes, stillFacts('image/png', 60, 60), [30], 'jpeg'),
      ];
      expect((await webp!.decoded.pixelAt(0.5, 0.9))[3]).toBe(0);
      expect((await webp!.decoded.pixelAt(0.5, 0.1))[3]).toBe(255);
      expect((await jpeg!.decoded.pixelAt(0.5, 0.9)).slice(0, 3).every((value) => value > 240)).toBe(true);
    });

    it('may have 16 bits per channel', async () => {
      const [result] = await process(await samples.deep(64, 64), stillFacts('image/png', 64, 64), [32]);
      await expectQuarters(result!.decoded);
    });

    it('keeps its colours when converted from CMYK, if supported', async () => {
      const facts = { ...stillFacts('image/jpeg', 64, 64), cmyk: true };
      if (!processor.can(facts, 'webp')) return;
      const bytes = await samples.cmyk(64, 64);
      const [[result], original] = [await process(bytes, facts, [32]), await samples.decode(bytes)];
      for (const [x, y] of [
        [0.25, 0.25],
        [0.75, 0.25],
        [0.25, 0.75],
        [0.75, 0.75],
      ] as const) {
        const [processedPixel, originalPixel] = [await result!.decoded.pixelAt(x, y), await original.pixelAt(x, y)];
        expect(
          Math.max(...processedPixel.map((value, channel) => Math.abs(value - (originalPixel[channel] ?? 0)))),
        ).toBeLessThan(CMYK_TOLERANCE);
      }
    });

    eachCase(it, ['image/gif', 'image/webp'] as const)(
      'stays animated when converted from %s, if supported',
      async (mime) => {
        const facts = { ...stillFacts(mime, 60, 40), animated: true };
        if (!processor.can(facts, 'webp')) return;
        const [result] = await process(await samples.animated(mime, 60, 40, 4), facts, [30]);
        expect([result?.decoded.pages, result?.output.width, result?.output.height]).toEqual([4, 30, 20]);
      },
    );

    it('can be processed while other images are processed', async () => {
      const bytes = await samples.still('image/jpeg', 300, 300);
      const results = await Promise.all(
        Array.from({ length: 8 }, () => process(bytes, stillFacts('image/jpeg', 300, 300), [100])),
      );
      expect(results.map(([result]) => result?.decoded.width)).toEqual(Array.from({ length: 8 }, () => 100));
    });

    it('does not block the event loop', async () => {
      const bytes = await samples.still('image/jpeg', 3_000, 2_000);
      const outputs = [2_560, 1_280, 640].map((width) => ({ width, format: 'webp' as const, quality: QUALITY }));
      const facts = stillFacts('image/jpeg', 3_000, 2_000);
      expect(await longestPauseShare(() => processor.process(bytes, facts, outputs))).toBeLessThan(0.5);
    }, 60_000);
  });

  describe('a costly image', () => {
    eachCase(it, ['CPU time', 'memory'] as const)(
      'is abandoned at the limit of %s, and the next image is processed',
      async (limit) => {
        const limitedProcessor = fixture.openCostLimited?.(limit);
        if (limitedProcessor === undefined) return;
        const output = { width: LARGE.width, format: 'webp' as const, quality: QUALITY };
        const outputs = Array.from({ length: 8 }, () => output);
        await expect(limitedProcessor.process(await drawLargeImage(), LARGE, outputs)).rejects.toMatchObject({
          name: 'CostlyFile',
        });
        const smallImage = await samples.still('image/png', 20, 20);
        const images = await limitedProcessor.process(smallImage, stillFacts('image/png', 20, 20), [output]);
        expect(images).toMatchObject([{ width: 20, height: 20, mime: 'image/webp' }]);
        await limitedProcessor.close();
      },
      120_000,
    );
  });

  describe('a broken image', () => {
    eachCase(it, ['truncated', 'garbled', 'empty', 'no image'])('is rejected: %s', async (fault) => {
      const validImage = await samples.still('image/png', 200, 200);
      const brokenImages: Readonly<Record<string, Uint8Array>> = {
        truncated: validImage.subarray(0, Math.floor(validImage.length / 2)),
        garbled: validImage.map((byte, index) => (index > 60 && index % 3 === 0 ? byte ^ 0xff : byte)),
        empty: new Uint8Array(),
        'no image': new TextEncoder().encode('<html>'.repeat(100)),
      };
      const output = { width: 100, format: 'webp' as const, quality: QUALITY };
      await expect(
        processor.process(brokenImages[fault]!, stillFacts('image/png', 200, 200), [output]),
      ).rejects.toMatchObject({
        name: 'UnreadableFile',
      });
    });

    eachCase(
      it,
      IMAGE_TYPES.filter((mime) => drawableTypes.includes(mime)).map((mime) => [mime] as const),
    )('is rejected when the second half of its bytes is missing: %s, if supported', async (mime) => {
      const facts = stillFacts(mime, 200, 200);
      if (!processor.can(facts, 'webp')) return;
      const bytes = await samples.still(mime, 200, 200);
      const output = { width: 100, format: 'webp' as const, quality: QUALITY };
      await expect(
        processor.process(bytes.subarray(0, Math.floor(bytes.length / 2)), facts, [output]),
      ).rejects.toMatchObject({ name: 'UnreadableFile' });
    });

    it('does not affect the next image', async () => {
      const output = { width: 10, format: 'webp' as const, quality: QUALITY };
      await processor.process(new Uint8Array([1, 2, 3]), stillFacts('image/png', 9, 9), [output]).catch(() => {});
      const [result] = await process(await samples.still('image/png', 40, 40), stillFacts('image/png', 40, 40), [20]);
      expect(result?.decoded.width).toBe(20);
    });
  });
}

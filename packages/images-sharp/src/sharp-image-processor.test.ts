import { sharpSampleImages } from './testing/index.js';
import { SharpImageProcessor } from './sharp-image-processor.js';

describe('an image with too many pixels', () => {
  it('is rejected before decoding', async () => {
    const processor = new SharpImageProcessor({ pixelLimit: 10_000 });
    const facts = { mime: 'image/png', width: 101, height: 100, animated: false, cmyk: false };
    const bytes = await sharpSampleImages.still('image/png', 101, 100);
    await expect(processor.process(bytes, facts, [{ width: 10, format: 'webp', quality: 80 }])).rejects.toThrow(
      'pixel',
    );
  });
});

describe('an unsupported conversion', () => {
  const processor = new SharpImageProcessor({ pixelLimit: 1 });
  const facts = { mime: 'image/jpeg', width: 1, height: 1, animated: false, cmyk: false };

  it.each([
    ['BMP', { ...facts, mime: 'image/bmp' }, 'webp' as const],
    ['SVG', { ...facts, mime: 'image/svg+xml' }, 'webp' as const],
    ['TIFF to TIFF', { ...facts, mime: 'image/tiff' }, 'original' as const],
    ['animation to JPEG', { ...facts, mime: 'image/gif', animated: true }, 'jpeg' as const],
    ['animated PNG to WebP', { ...facts, mime: 'image/png', animated: true }, 'webp' as const],
    ['animated AVIF to WebP', { ...facts, mime: 'image/avif', animated: true }, 'webp' as const],
  ])('is refused: %s', (_, image, format) => {
    expect(processor.can(image, format)).toBe(false);
  });
});

describe('a large image', () => {
  const facts = { mime: 'image/png', width: 6_000, height: 5_000, animated: false, cmyk: false };
  const small = { mime: 'image/png', width: 10, height: 10, animated: false, cmyk: false };
  const outputs = [{ width: 6_000, format: 'webp', quality: 80 }] as const;
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await sharpSampleImages.still('image/png', 6_000, 5_000);
  });

  it('leaves a process for small images', async () => {
    const processor = new SharpImageProcessor({ pixelLimit: 100_000_000 });
    const finished: string[] = [];
    const largeImages = [1, 2].map(async () => {
      await processor.process(bytes, facts, outputs);
      finished.push('large');
    });
    await processor.process(await sharpSampleImages.still('image/png', 10, 10), small, outputs);
    finished.push('small');
    await Promise.all(largeImages);
    expect(finished[0]).toBe('small');
    await processor.close();
  });
});

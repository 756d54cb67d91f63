import { imageProcessorContract } from '@back-office/media/testing';
import { DRAWN, sharpSampleImages } from '../testing/index.js';
import { SharpImageProcessor } from './sharp-image-processor.js';

describe('images by sharp', () => {
  imageProcessorContract(
    async () => ({ processor: new SharpImageProcessor({ pixelLimit: 100_000_000 }), samples: sharpSampleImages }),
    DRAWN,
  );
});

describe('an image of too many pixels', () => {
  it('is refused before it is decoded', async () => {
    const processor = new SharpImageProcessor({ pixelLimit: 10_000 });
    const facts = { mime: 'image/png', width: 101, height: 100, animated: false, cmyk: false };
    const bytes = await sharpSampleImages.still('image/png', 101, 100);
    await expect(processor.process(bytes, facts, [{ width: 10, format: 'webp', quality: 80 }])).rejects.toThrow(
      'pixel',
    );
  });
});

describe('what sharp cannot do', () => {
  const processor = new SharpImageProcessor({ pixelLimit: 1 });
  const facts = { mime: 'image/jpeg', width: 1, height: 1, animated: false, cmyk: false };

  it.each([
    ['BMP', { ...facts, mime: 'image/bmp' }, 'webp' as const],
    ['SVG', { ...facts, mime: 'image/svg+xml' }, 'webp' as const],
    ['TIFF as it is', { ...facts, mime: 'image/tiff' }, 'original' as const],
    ['moving JPEG', { ...facts, mime: 'image/gif', animated: true }, 'jpeg' as const],
  ])('is told before: %s', (_, image, format) => {
    expect(processor.can(image, format)).toBe(false);
  });
});

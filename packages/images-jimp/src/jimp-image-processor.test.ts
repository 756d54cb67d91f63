import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { JimpImageProcessor } from './jimp-image-processor.js';

const facts = { mime: 'image/png', width: 100, height: 100, animated: false, cmyk: false };
const output = { width: 10, format: 'webp' as const, quality: 80 };

describe('an image with too many pixels', () => {
  it('is rejected after only its header is read', async () => {
    const processor = new JimpImageProcessor({ pixelLimit: 9_999 });
    const bytes = await sharpSampleImages.still('image/png', 100, 100);
    await expect(processor.process(bytes, facts, [output])).rejects.toThrow('more pixels');
  });
});

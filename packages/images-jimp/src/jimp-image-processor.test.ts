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

describe('a BMP image', () => {
  it('is decoded', async () => {
    const processor = new JimpImageProcessor({ pixelLimit: 1_000 });
    const pixels = Buffer.from([0, 0, 255, 0, 255, 0, 0, 0]);
    const header = Buffer.alloc(54);
    header.write('BM');
    header.writeUInt32LE(54 + pixels.length, 2);
    header.writeUInt32LE(54, 10);
    header.writeUInt32LE(40, 14);
    header.writeInt32LE(2, 18);
    header.writeInt32LE(1, 22);
    header.writeUInt16LE(1, 26);
    header.writeUInt16LE(24, 28);
    header.writeUInt32LE(pixels.length, 34);
    const bmp = { ...facts, mime: 'image/bmp', width: 2, height: 1 };
    expect(processor.can(bmp, 'webp')).toBe(true);
    const [result] = await processor.process(Buffer.concat([header, pixels]), bmp, [
      { ...output, format: 'webp', width: 2 },
    ]);
    const decodedImage = await sharpSampleImages.decode(result!.bytes);
    expect([decodedImage.width, decodedImage.height]).toEqual([2, 1]);
    await processor.close();
  });
});

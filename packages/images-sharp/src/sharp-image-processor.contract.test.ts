import { runnerOf } from '@back-office/kernel/testing';
import { imageProcessorContract } from '@back-office/media/testing';
import { DRAWABLE_MIMES, sharpSampleImages } from './testing/index.js';
import { SharpImageProcessor } from './sharp-image-processor.js';

const WEB_TYPES = DRAWABLE_MIMES.filter((mime) => mime !== 'image/tiff');

describe('SharpImageProcessor', () => {
  imageProcessorContract(
    runnerOf(globalThis),
    async () => ({
      processor: new SharpImageProcessor({ pixelLimit: 100_000_000 }),
      samples: sharpSampleImages,
      conversions: {
        inputTypes: DRAWABLE_MIMES,
        outputTypes: WEB_TYPES,
        animatedTypes: ['image/gif', 'image/webp'],
        canReadCmyk: true,
      },
      openLimited: (pixelLimit) => new SharpImageProcessor({ pixelLimit }),
      openCostLimited: (limit) =>
        new SharpImageProcessor({
          pixelLimit: 100_000_000,
          ...(limit === 'memory' ? { maxMemoryMegabytes: 130 } : { maxCpuMs: 1_500 }),
        }),
    }),
    DRAWABLE_MIMES,
  );
});

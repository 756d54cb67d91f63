import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { runnerOf } from '@back-office/kernel/testing';
import type { ImageProcessor } from '@back-office/media';
import { imageProcessorContract } from '@back-office/media/testing';
import { JimpImageProcessor } from './jimp-image-processor.js';

const INPUT_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/bmp'] as const;

describe('JimpImageProcessor', () => {
  imageProcessorContract(
    runnerOf(globalThis),
    async () => ({
      processor: withErrorsOfAnotherCopy(new JimpImageProcessor({ pixelLimit: 100_000_000 })),
      samples: sharpSampleImages,
      conversions: {
        inputTypes: INPUT_TYPES,
        outputTypes: ['image/jpeg', 'image/png', 'image/webp'],
        animatedTypes: [],
        canReadCmyk: false,
      },
      openLimited: (pixelLimit) => new JimpImageProcessor({ pixelLimit }),
      openCostLimited: (limit) =>
        new JimpImageProcessor({
          pixelLimit: 100_000_000,
          ...(limit === 'memory' ? { maxMemoryMegabytes: 250 } : { maxCpuMs: 1_500 }),
        }),
    }),
    INPUT_TYPES.filter((mime) => mime !== 'image/bmp'),
  );
});

/** Throws errors like an adapter that has its own copy of `UnreadableFile`. */
function withErrorsOfAnotherCopy(jimp: JimpImageProcessor): ImageProcessor {
  return {
    can: (...args) => jimp.can(...args),
    process: (...args) =>
      jimp.process(...args).catch((error: unknown) => {
        const { name, message } = error as Error;
        throw Object.assign(new Error(message), { name });
      }),
    close: () => jimp.close(),
  };
}

import { runnerOf } from '@back-office/kernel/testing';
import { pageRendererContract } from '@back-office/media/testing';
import { readdir } from 'node:fs/promises';
import { PNG } from 'pngjs';
import { holdLibrary } from '../testing/hold-library.js';
import { PdfiumPageRenderer } from './pdfium-page-renderer.js';

holdLibrary();

describe('PdfiumPageRenderer', () => {
  pageRendererContract(runnerOf(globalThis), async () => ({
    renderer: new PdfiumPageRenderer(),
    countThreads: async () => (await readdir('/proc/self/task').catch(() => [])).length,
    openLimited: (limits) => new PdfiumPageRenderer(limits),
    decode: async (png) => {
      const { width, height, data } = PNG.sync.read(Buffer.from(png));
      return {
        width,
        height,
        pixelAt(x, y) {
          const offset = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
          return [data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0, data[offset + 3] ?? 0];
        },
      };
    },
  }));
});

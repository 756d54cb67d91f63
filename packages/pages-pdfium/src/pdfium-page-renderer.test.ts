import { UnreadableFile } from '@back-office/media';
import { pageRendererContract, pdfSample, type SamplePage } from '@back-office/media/testing';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { PdfiumPageRenderer } from './pdfium-page-renderer.js';

const PAGE: SamplePage = { width: 300, height: 400, colour: [1, 0, 0] };
const small = pdfSample({ pages: [PAGE] });
/** Two million large rectangles. */
const slow = pdfSample({ pages: [{ ...PAGE, content: '0 0 300 400 re f\n'.repeat(2_000_000) }] });

async function countOf(renderer: PdfiumPageRenderer, bytes: Uint8Array): Promise<number> {
  let count = 0;
  for await (const page of renderer.pages(bytes, 20)) count = page.page;
  return count;
}

// V8 compiles a library once for all threads as long as somebody holds the module.
const held: WebAssembly.Module[] = [];
beforeAll(async () => {
  const library = await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  held.push(await WebAssembly.compile(library));
});
afterAll(() => {
  held.length = 0;
});

describe('pages by PDFium', () => {
  pageRendererContract(async () => ({
    renderer: new PdfiumPageRenderer(),
    look: async (png) => {
      const { width, height, data } = PNG.sync.read(Buffer.from(png));
      return {
        width,
        height,
        at(x, y) {
          const place = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
          return [data[place] ?? 0, data[place + 1] ?? 0, data[place + 2] ?? 0, data[place + 3] ?? 0];
        },
      };
    },
  }));
});

describe('a document that takes too long', () => {
  it('is given up with its thread, and the next one gets another', async () => {
    const renderer = new PdfiumPageRenderer({ timeoutMs: 700 });
    await expect(countOf(renderer, slow)).rejects.toThrow('took too long');
    expect(await countOf(new PdfiumPageRenderer(), small)).toBe(1);
    await renderer.close();
  }, 120_000);

  it('is no unreadable one: on a day with less to do it may be read', async () => {
    const renderer = new PdfiumPageRenderer({ timeoutMs: 700 });
    await expect(countOf(renderer, slow)).rejects.not.toThrow(UnreadableFile);
  }, 120_000);
});

describe('a document whose pages nobody goes on asking for', () => {
  it('does not keep the next one waiting for ever', async () => {
    const renderer = new PdfiumPageRenderer({ timeoutMs: 2_000 });
    const forgotten = renderer.pages(small, 20)[Symbol.asyncIterator]();
    await forgotten.next();
    expect(await countOf(renderer, small)).toBe(1);
    await expect(forgotten.next()).rejects.toThrow('took too long');
  }, 120_000);
});

describe('a document that takes too much memory', () => {
  /** Black all over, by a picture of 48 MB in 48 kB. */
  const black = (): Uint8Array => {
    const packed = deflateSync(Buffer.alloc(4_000 * 4_000 * 3)).toString('latin1');
    const picture = '/Subtype/Image/Width 4000/Height 4000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode';
    return pdfSample({
      pages: [{ ...PAGE, resources: '/XObject<</Picture 5 0 R>>', content: 'q 300 0 0 400 0 0 cm /Picture Do Q' }],
      objects: [`<<${picture}/Length ${packed.length}>>\nstream\n${packed}\nendstream`],
    });
  };

  async function isBlack(memoryMegabytes: number): Promise<boolean> {
    const renderer = new PdfiumPageRenderer({ memoryMegabytes });
    for await (const { bytes } of renderer.pages(black(), 1)) return PNG.sync.read(Buffer.from(bytes)).data[0] === 0;
    return false;
  }

  it('ends with an error, or without what was too much', async () => {
    expect(await isBlack(256)).toBe(true);
    expect(await isBlack(40).catch(() => false)).toBe(false);
    expect(await countOf(new PdfiumPageRenderer({ memoryMegabytes: 40 }), small)).toBe(1);
  }, 60_000);

  it('is not even opened when it alone is too much', async () => {
    const renderer = new PdfiumPageRenderer({ memoryMegabytes: 40 });
    await expect(countOf(renderer, Buffer.concat([small, Buffer.alloc(41 * 2 ** 20)]))).rejects.toThrow('memory');
  });
});

describe('a renderer that is closed', () => {
  it('ends what it is rendering', async () => {
    const renderer = new PdfiumPageRenderer();
    const pages = renderer.pages(slow, 20)[Symbol.asyncIterator]();
    const first = pages.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await renderer.close();
    await expect(first).rejects.toThrow('ended');
  });
});

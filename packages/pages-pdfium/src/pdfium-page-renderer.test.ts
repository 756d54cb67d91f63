import { pdfSample } from '@back-office/media/testing';
import { PdfiumPageRenderer, type PdfiumOptions } from './pdfium-page-renderer.js';

const PAGE = { width: 298, height: 420, colour: [1, 0, 0] } as const;
const slowPdf = pdfSample({ pages: [{ ...PAGE, content: '0 0 300 400 re f\n'.repeat(1_000_000) }] });
const smallPdf = pdfSample({ pages: [PAGE] });

const renderFirst = async (renderer: PdfiumPageRenderer, bytes: Uint8Array): Promise<number> => {
  for await (const { page } of renderer.pages(bytes, 1)) return page;
  return 0;
};

describe('rendering beyond a limit', () => {
  it.each<[string, PdfiumOptions, Uint8Array]>([
    ['work', { maxWorkMs: 300 }, slowPdf],
    ['memory', { memoryMegabytes: 20 }, Buffer.concat([smallPdf, Buffer.alloc(11 * 2 ** 20)])],
  ])('throws `CostlyFile`, which is not retried: %s', async (_, limits, costlyPdf) => {
    const renderer = new PdfiumPageRenderer(limits);
    await expect(renderFirst(renderer, costlyPdf)).rejects.toMatchObject({ name: 'CostlyFile' });
    await renderer.close();
  });

  it('does not include the time in which the caller works on a page', async () => {
    const renderer = new PdfiumPageRenderer({ maxWorkMs: 2_000, timeoutMs: 60_000 });
    const pages = renderer.pages(pdfSample({ pages: [PAGE, PAGE] }), 2)[Symbol.asyncIterator]();
    await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await pages.next()).toMatchObject({ value: { page: 2 } });
    await renderer.close();
  });
});

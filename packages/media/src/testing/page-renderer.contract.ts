import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { isUnreadableFile, type PageRenderer, type RenderedPage } from '../index.js';
import { encodeLatin1, decodeLatin1 } from '../formats/octets.js';
import { longestPauseShare } from './event-loop.js';
import { encryptedPdf, pdfSample, type SamplePage } from './sample-pdfs.js';

export interface DecodedPage {
  readonly width: number;
  readonly height: number;
  /** Returns red, green, blue and alpha (0–255) of a pixel. `x` and `y` are fractions (0–1) of width and height. */
  pixelAt(x: number, y: number): readonly [number, number, number, number];
}

export interface DocumentLimits {
  /** Maximum time from the first requested page to the last. */
  readonly timeoutMs?: number;
  /** Maximum time that the renderer works. The time between the caller's requests does not count. */
  readonly maxWorkMs?: number;
  readonly memoryMegabytes?: number;
}

export interface RendererFixture {
  readonly renderer: PageRenderer;
  decode(png: Uint8Array): Promise<DecodedPage>;
  countThreads?(): Promise<number>;
  /** Opens a renderer with these limits per document. Tests of time, memory and closing need this method. */
  openLimited?(limits: DocumentLimits): PageRenderer;
}

const MAX_PAGES = 20;
const RED = [1, 0, 0] as const;
const A6: SamplePage = { width: 298, height: 420, colour: RED };
const SLOW_TEST_MS = 120_000;
const REPETITIONS = 8;

export function pageRendererContract(
  { describe, it, before, after }: Runner,
  open: () => Promise<RendererFixture>,
): void {
  let fixture: RendererFixture;
  let renderer: PageRenderer;
  let decode: RendererFixture['decode'];

  before(async () => {
    fixture = await open();
    ({ renderer, decode } = fixture);
  });
  after(() => renderer.close());

  const render = async (bytes: Uint8Array, maxPages = MAX_PAGES, usedRenderer = renderer): Promise<RenderedPage[]> => {
    const pages: RenderedPage[] = [];
    for await (const page of usedRenderer.pages(bytes, maxPages)) pages.push(page);
    return pages;
  };
  const sizesOf = (pages: readonly RenderedPage[]): number[][] => pages.map(({ width, height }) => [width, height]);
  const singlePage = (page: Partial<SamplePage>): Uint8Array => pdfSample({ pages: [{ ...A6, ...page }] });

  /** Returns the side with the colour. Before rotation, this is the top of the page. */
  async function colouredSide({ bytes }: RenderedPage): Promise<string> {
    const decodedPage = await decode(bytes);
    const isRed = (x: number, y: number): boolean => {
      const [red, green, blue, alpha] = decodedPage.pixelAt(x, y);
      return red > 200 && green < 60 && blue < 60 && alpha === 255;
    };
    const [top, right, bottom, left] = [isRed(0.5, 0.1), isRed(0.9, 0.5), isRed(0.5, 0.9), isRed(0.1, 0.5)];
    return [top && 'top', right && 'right', bottom && 'bottom', left && 'left'].filter(Boolean).join(' ');
  }

  describe('a document', () => {
    it('becomes one image per page, in order', async () => {
      const colours = [RED, [0, 1, 0], [0, 0, 1]] as const;
      const pages = await render(pdfSample({ pages: colours.map((colour) => ({ ...A6, colour })) }));
      expect(pages.map(({ page }) => page)).toEqual([1, 2, 3]);
      const tops = await Promise.all(pages.map(async ({ bytes }) => (await decode(bytes)).pixelAt(0.5, 0.25)));
      expect(tops).toEqual([
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
      ]);
    });

    it('is rendered on white at 150 dpi', async () => {
      const [page] = await render(singlePage({ width: 72, height: 144 }));
      expect([page?.width, page?.height]).toEqual([150, 300]);
      const decodedPage = await decode(page!.bytes);
      expect([decodedPage.width, decodedPage.height]).toEqual([150, 300]);
      expect(decodedPage.pixelAt(0.5, 0.75)).toEqual([255, 255, 255, 255]);
    });

    it('is rendered only up to the last requested page', async () => {
      const manyPages = pdfSample({ pages: Array.from({ length: 25 }, () => ({ ...A6, width: 30, height: 30 })) });
      expect(await render(manyPages)).toHaveLength(MAX_PAGES);
      expect(await render(manyPages, 3)).toHaveLength(3);
      expect(await render(manyPages, 0)).toEqual([]);
      for await (const { page } of renderer.pages(manyPages, MAX_PAGES)) if (page === 2) break;
      expect(await render(manyPages, 1)).toHaveLength(1);
    });

    eachCase(it, [
      [0, 'top', [620, 875]],
      [90, 'right', [875, 620]],
      [180, 'bottom', [620, 875]],
      [270, 'left', [875, 620]],
    ])('is rendered as displayed when rotated by %d°', async (rotate, side, [width = 0, height = 0]) => {
      const [page] = await render(singlePage({ rotate }));
      expect(Math.abs(page!.width - width)).toBeLessThanOrEqual(1);
      expect(Math.abs(page!.height - height)).toBeLessThanOrEqual(1);
      expect(await colouredSide(page!)).toContain(side);
    });

    eachCase(it, [
      ['a poster', 14_400, 7_200, [2_000, 1_000]],
      ['a wall', 2_000_000, 1_000_000, [2_000, 1_000]],
      ['a strip', 100, 100_000, [2, 2_000]],
      ['A2', 1_191, 1_684, [1_414, 2_000]],
    ])('has at most 2,000 pixels a side when as large as %s', async (_, width, height, size) => {
      const [page] = await render(singlePage({ width, height }));
      expect(sizesOf([page!])).toEqual([size]);
      expect((await decode(page!.bytes)).pixelAt(0.5, 0.25)).toEqual([255, 0, 0, 255]);
    });

    it('has at least one pixel when as small as a dot', async () => {
      expect(sizesOf(await render(singlePage({ width: 0.2, height: 0.2 })))).toEqual([[1, 1]]);
    });

    eachCase(it, [
      ['with an invalid object table', (text: string) => text.replace(/startxref\n\d+/, 'startxref\n7')],
      ['without object table', (text: string) => text.replace(/xref\n0[\s\S]*?trailer/, 'trailer')],
      ['with leading bytes', (text: string) => `${' '.repeat(500)}\n${text}`],
      ['with trailing bytes', (text: string) => `${text}${'\0'.repeat(500)}`],
    ])('is rendered %s', async (_, breakText) => {
      const [page] = await render(encodeLatin1(breakText(decodeLatin1(singlePage({})))));
      expect(await colouredSide(page!)).toContain('top');
    });

    it('without pages has no images or is unreadable', async () => {
      const result = await render(pdfSample({ pages: [] })).catch((error: unknown) => error);
      expect(isUnreadableFile(result) || (Array.isArray(result) && result.length === 0)).toBe(true);
    });

    it('can be rendered while other documents are rendered', async () => {
      const results = await Promise.all(Array.from({ length: 4 }, () => render(singlePage({}))));
      expect(results.map((pages) => pages.length)).toEqual([1, 1, 1, 1]);
    });

    it('does not block the event loop', async () => {
      const complexContent = Array.from(
        { length: 30_000 },
        (_, index) => `${index % 290} ${index % 410} 200 200 re f`,
      ).join('\n');
      const complexPdf = singlePage({ content: complexContent });
      expect(await longestPauseShare(() => render(complexPdf))).toBeLessThan(0.5);
    }, 60_000);
  });

  describe('an invalid document', () => {
    const validPdf = singlePage({});
    eachCase(it, [
      ['an empty file', new Uint8Array()],
      ['text', encodeLatin1('Hello '.repeat(100))],
      ['a signature only', encodeLatin1('%PDF-1.7\n')],
      ['a truncated file', validPdf.subarray(0, 40)],
      ['a file with damaged bytes', validPdf.map((byte, index) => (index > 8 ? byte ^ 0x55 : byte))],
      [
        'no catalogue',
        encodeLatin1(decodeLatin1(validPdf).replace('/Catalog', '/Nothing').replace('/Root 1', '/Root 9')),
      ],
      ['a password', encryptedPdf()],
    ])('is unreadable: %s', async (_, bytes) => {
      await expect(render(bytes)).rejects.toMatchObject({ name: 'UnreadableFile' });
    });

    it('does not affect the next document', async () => {
      await render(encodeLatin1('%PDF-1.7')).catch(() => {});
      expect(await render(validPdf)).toHaveLength(1);
    });
  });
  describe('a worker thread', () => {
    it('ends as soon as the work on its document ends', async () => {
      await render(singlePage({}));
      const initialThreads = await fixture.countThreads?.();
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1) await render(singlePage({}), 1);
      if (initialThreads !== undefined)
        expect(await fixture.countThreads?.()).toBeLessThan(initialThreads + REPETITIONS / 2);
    }, 30_000);
  });

  describe('the limits for rendering a document', () => {
    const makeSlowPdf = (): Uint8Array => singlePage({ content: '0 0 300 400 re f\n'.repeat(2_000_000) });
    /** A black image of 48 MB, compressed to 750 kB, fills the page. */
    const makeBlackPdf = (): Uint8Array => {
      // Each pair of bytes is a run of 128 zeros.
      const packedPixels = `${'\u0081\0'.repeat((4_000 * 4_000 * 3) / 128)}\u0080`;
      const image =
        '/Subtype/Image/Width 4000/Height 4000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/RunLengthDecode';
      const drawing = { resources: '/XObject<</Picture 5 0 R>>', content: 'q 300 0 0 420 0 0 cm /Picture Do Q' };
      return pdfSample({
        pages: [{ ...A6, ...drawing }],
        objects: [`<<${image}/Length ${packedPixels.length}>>\nstream\n${packedPixels}\nendstream`],
      });
    };
    const isBlack = async (usedRenderer: PageRenderer): Promise<boolean> => {
      const [page] = await render(makeBlackPdf(), 1, usedRenderer);
      return page !== undefined && (await decode(page.bytes)).pixelAt(0.5, 0.5)[0] === 0;
    };

    it(
      'end only the rendering that takes too long, and do not report its document as unreadable',
      async () => {
        const limitedRenderer = fixture.openLimited?.({ timeoutMs: 700 });
        if (limitedRenderer === undefined) return;
        const [lateRendering, nextRendering] = [render(makeSlowPdf(), 1, limitedRenderer), render(singlePage({}), 1)];
        const error: unknown = await lateRendering.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(Error);
        expect(isUnreadableFile(error)).toBe(false);
        expect(await nextRendering).toHaveLength(1);
        await limitedRenderer.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'count the time in which the caller requests no page',
      async () => {
        const limitedRenderer = fixture.openLimited?.({ timeoutMs: 2_000 });
        if (limitedRenderer === undefined) return;
        const abandonedPages = limitedRenderer.pages(singlePage({}), MAX_PAGES)[Symbol.asyncIterator]();
        await abandonedPages.next();
        expect(await render(singlePage({}), 1, limitedRenderer)).toHaveLength(1);
        await expect(abandonedPages.next()).rejects.toThrow();
        await limitedRenderer.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'end the rendering of a document whose pages together take too much work',
      async () => {
        const content = '0 0 300 400 re f\n'.repeat(1_500);
        const slowPdf = pdfSample({ pages: Array.from({ length: 8 }, () => ({ ...A6, content })) });
        const startMs = performance.now();
        await render(slowPdf, 1);
        const maxWorkMs = 2 * (performance.now() - startMs);
        const limitedRenderer = fixture.openLimited?.({ maxWorkMs });
        if (limitedRenderer === undefined) return;
        await expect(render(slowPdf, 8, limitedRenderer)).rejects.toMatchObject({ name: 'CostlyFile' });
        await limitedRenderer.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'do not count the work of the caller as work on the document',
      async () => {
        const limitedRenderer = fixture.openLimited?.({ maxWorkMs: 2_000 });
        if (limitedRenderer === undefined) return;
        const pages = limitedRenderer.pages(pdfSample({ pages: [A6, A6] }), 2)[Symbol.asyncIterator]();
        await pages.next();
        await new Promise((resolve) => setTimeout(resolve, 2_100));
        expect(await pages.next()).toMatchObject({ value: { page: 2 } });
        await limitedRenderer.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'end the rendering of a document that takes too much memory, or omit its large image',
      async () => {
        const [highMemoryRenderer, lowMemoryRenderer] = [256, 40].map((memoryMegabytes) =>
          fixture.openLimited?.({ memoryMegabytes }),
        );
        if (!highMemoryRenderer || !lowMemoryRenderer) return;
        expect(await isBlack(highMemoryRenderer)).toBe(true);
        expect(await isBlack(lowMemoryRenderer).catch(() => false)).toBe(false);
        const largePdf = new Uint8Array(41 * 2 ** 20);
        largePdf.set(singlePage({}));
        await expect(render(largePdf, 1, lowMemoryRenderer)).rejects.toMatchObject({ name: 'CostlyFile' });
        expect(await render(singlePage({}), 1, lowMemoryRenderer)).toHaveLength(1);
        await Promise.all([highMemoryRenderer.close(), lowMemoryRenderer.close()]);
      },
      SLOW_TEST_MS,
    );

    it(
      'do not delay `close`, which ends the work on open documents',
      async () => {
        const closingRenderer = fixture.openLimited?.({});
        if (closingRenderer === undefined) return;
        const rendering = render(makeSlowPdf(), 1, closingRenderer).catch(() => 'ended');
        await new Promise((resolve) => setTimeout(resolve, 300));
        await closingRenderer.close();
        const timeout = new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(await Promise.race([rendering, timeout])).toBe('ended');
      },
      SLOW_TEST_MS,
    );
  });
}

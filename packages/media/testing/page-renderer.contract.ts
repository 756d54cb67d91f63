import { UnreadableFile, type PageRenderer, type RenderedPage } from '../src/index.js';
import { fromLatin1, latin1 } from '../src/octets.js';
import { encryptedPdf, pdfSample, type SamplePage } from './sample-pdfs.js';

/** What a test sees of a page, read by a library that the adapter under test need not share. */
export interface SeenPage {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha, 0–255, of the pixel at these parts (0–1) of width and height. */
  at(x: number, y: number): readonly [number, number, number, number];
}

export interface GivenRenderer {
  readonly renderer: PageRenderer;
  look(png: Uint8Array): Promise<SeenPage>;
}

const MOST = 20;
const RED = [1, 0, 0] as const;
const A6: SamplePage = { width: 298, height: 420, colour: RED };

/** What every renderer of pages promises. */
export function pageRendererContract(open: () => Promise<GivenRenderer>): void {
  let renderer: PageRenderer;
  let look: GivenRenderer['look'];

  beforeAll(async () => {
    ({ renderer, look } = await open());
  });
  afterAll(() => renderer.close());

  const rendered = async (bytes: Uint8Array, most = MOST): Promise<RenderedPage[]> => {
    const pages: RenderedPage[] = [];
    for await (const page of renderer.pages(bytes, most)) pages.push(page);
    return pages;
  };
  const sizes = (pages: readonly RenderedPage[]): number[][] => pages.map(({ width, height }) => [width, height]);
  const single = (page: Partial<SamplePage>): Uint8Array => pdfSample({ pages: [{ ...A6, ...page }] });

  /** In which half the colour is: where the page’s own top has come to. */
  async function colouredSide({ bytes }: RenderedPage): Promise<string> {
    const seen = await look(bytes);
    const isRed = (x: number, y: number): boolean => {
      const [red, green, blue, alpha] = seen.at(x, y);
      return red > 200 && green < 60 && blue < 60 && alpha === 255;
    };
    const [top, right, bottom, left] = [isRed(0.5, 0.1), isRed(0.9, 0.5), isRed(0.5, 0.9), isRed(0.1, 0.5)];
    return [top && 'top', right && 'right', bottom && 'bottom', left && 'left'].filter(Boolean).join(' ');
  }

  describe('a document', () => {
    it('becomes an image of each page, in their order', async () => {
      const colours = [RED, [0, 1, 0], [0, 0, 1]] as const;
      const pages = await rendered(pdfSample({ pages: colours.map((colour) => ({ ...A6, colour })) }));
      expect(pages.map(({ page }) => page)).toEqual([1, 2, 3]);
      const tops = await Promise.all(pages.map(async ({ bytes }) => (await look(bytes)).at(0.5, 0.25)));
      expect(tops).toEqual([
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
      ]);
    });

    it('is drawn on white, at 150 dots an inch', async () => {
      const [page] = await rendered(single({ width: 72, height: 144 }));
      expect([page?.width, page?.height]).toEqual([150, 300]);
      const seen = await look(page!.bytes);
      expect([seen.width, seen.height]).toEqual([150, 300]);
      expect(seen.at(0.5, 0.75)).toEqual([255, 255, 255, 255]);
    });

    it('is drawn as far as it is asked for, and no further', async () => {
      const many = pdfSample({ pages: Array.from({ length: 25 }, () => ({ ...A6, width: 30, height: 30 })) });
      expect(await rendered(many)).toHaveLength(MOST);
      expect(await rendered(many, 3)).toHaveLength(3);
      expect(await rendered(many, 0)).toEqual([]);
      for await (const { page } of renderer.pages(many, MOST)) if (page === 2) break;
      expect(await rendered(many, 1)).toHaveLength(1);
    });

    it.each([
      [0, 'top', [620, 875]],
      [90, 'right', [875, 620]],
      [180, 'bottom', [620, 875]],
      [270, 'left', [875, 620]],
    ])('of pages turned by %d° is drawn as it is looked at', async (rotate, side, [width = 0, height = 0]) => {
      const [page] = await rendered(single({ rotate }));
      expect(Math.abs(page!.width - width)).toBeLessThanOrEqual(1);
      expect(Math.abs(page!.height - height)).toBeLessThanOrEqual(1);
      expect(await colouredSide(page!)).toContain(side);
    });

    it.each([
      ['a poster', 14_400, 7_200, [2_000, 1_000]],
      ['a wall', 2_000_000, 1_000_000, [2_000, 1_000]],
      ['a strip', 100, 100_000, [2, 2_000]],
      ['A2', 1_191, 1_684, [1_414, 2_000]],
    ])('of pages as large as %s is at most 2,000 pixels a side', async (_, width, height, size) => {
      const [page] = await rendered(single({ width, height }));
      expect(sizes([page!])).toEqual([size]);
      expect((await look(page!.bytes)).at(0.5, 0.25)).toEqual([255, 0, 0, 255]);
    });

    it('of pages as small as a dot is a pixel at least', async () => {
      expect(sizes(await rendered(single({ width: 0.2, height: 0.2 })))).toEqual([[1, 1]]);
    });

    it.each([
      ['whose table of objects is wrong', (text: string) => text.replace(/startxref\n\d+/, 'startxref\n7')],
      ['that has none', (text: string) => text.replace(/xref\n0[\s\S]*?trailer/, 'trailer')],
      ['with something before it', (text: string) => `${' '.repeat(500)}\n${text}`],
      ['with something after it', (text: string) => `${text}${'\0'.repeat(500)}`],
    ])('%s is drawn as viewers draw it', async (_, broken) => {
      const [page] = await rendered(fromLatin1(broken(latin1(single({})))));
      expect(await colouredSide(page!)).toContain('top');
    });

    it('without pages has none', async () => {
      const none = await rendered(pdfSample({ pages: [] })).catch((error: unknown) => error);
      expect(none instanceof UnreadableFile || (Array.isArray(none) && none.length === 0)).toBe(true);
    });

    it('may be one of many at once', async () => {
      const all = await Promise.all(Array.from({ length: 4 }, () => rendered(single({}))));
      expect(all.map((pages) => pages.length)).toEqual([1, 1, 1, 1]);
    });

    it('keeps nothing else waiting while it is drawn', async () => {
      const busy = Array.from({ length: 30_000 }, (_, at) => `${at % 290} ${at % 410} 200 200 re f`).join('\n');
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      await rendered(single({ content: busy }));
      clearInterval(beat);
      expect(longest).toBeLessThan(400);
    }, 60_000);
  });

  describe('what is no document to be drawn', () => {
    const whole = single({});
    it.each([
      ['nothing', new Uint8Array()],
      ['text', fromLatin1('Hello '.repeat(100))],
      ['only the beginning of a PDF', fromLatin1('%PDF-1.7\n')],
      ['one that is cut off', whole.subarray(0, 40)],
      ['one that is garbled', whole.map((byte, index) => (index > 8 ? byte ^ 0x55 : byte))],
      [
        'one without its catalogue',
        fromLatin1(latin1(whole).replace('/Catalog', '/Nothing').replace('/Root 1', '/Root 9')),
      ],
      ['one that needs a password', encryptedPdf()],
    ])('is unreadable: %s', async (_, bytes) => {
      await expect(rendered(bytes)).rejects.toThrow(UnreadableFile);
    });

    it('does not stop the next one', async () => {
      await rendered(fromLatin1('%PDF-1.7')).catch(() => {});
      expect(await rendered(whole)).toHaveLength(1);
    });
  });
}

import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { isUnreadableFile, type PageRenderer, type RenderedPage } from '../index.js';
import { encodeLatin1, decodeLatin1 } from '../octets.js';
import { encryptedPdf, pdfSample, type SamplePage } from './sample-pdfs.js';

/** A rendered page, decoded by any library. */
export interface SeenPage {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha, 0–255, of the pixel at these parts (0–1) of width and height. */
  at(x: number, y: number): readonly [number, number, number, number];
}

export interface GivenRenderer {
  readonly renderer: PageRenderer;
  look(png: Uint8Array): Promise<SeenPage>;
  /** Counts the threads of the process. */
  countThreads?(): Promise<number>;
  /** Opens another renderer with these limits per document. Required to test time, memory and closing. */
  openLimited?(limits: { readonly timeoutMs?: number; readonly memoryMegabytes?: number }): PageRenderer;
}

const MAX_PAGES = 20;
const RED = [1, 0, 0] as const;
const A6: SamplePage = { width: 298, height: 420, colour: RED };
const SLOW_TEST_MS = 120_000;
const MANY = 8;

/** Tests for every adapter of {@link PageRenderer}. */
export function pageRendererContract(
  { describe, it, before, after }: Runner,
  open: () => Promise<GivenRenderer>,
): void {
  let given: GivenRenderer;
  let renderer: PageRenderer;
  let look: GivenRenderer['look'];

  before(async () => {
    given = await open();
    ({ renderer, look } = given);
  });
  after(() => renderer.close());

  const rendered = async (bytes: Uint8Array, maxPages = MAX_PAGES, by = renderer): Promise<RenderedPage[]> => {
    const pages: RenderedPage[] = [];
    for await (const page of by.pages(bytes, maxPages)) pages.push(page);
    return pages;
  };
  const sizes = (pages: readonly RenderedPage[]): number[][] => pages.map(({ width, height }) => [width, height]);
  const single = (page: Partial<SamplePage>): Uint8Array => pdfSample({ pages: [{ ...A6, ...page }] });

  /** The half with the colour, which is the page’s own top. */
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
    it('becomes one image per page, in order', async () => {
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

    it('is rendered on white at 150 dpi', async () => {
      const [page] = await rendered(single({ width: 72, height: 144 }));
      expect([page?.width, page?.height]).toEqual([150, 300]);
      const seen = await look(page!.bytes);
      expect([seen.width, seen.height]).toEqual([150, 300]);
      expect(seen.at(0.5, 0.75)).toEqual([255, 255, 255, 255]);
    });

    it('is rendered up to the requested page', async () => {
      const many = pdfSample({ pages: Array.from({ length: 25 }, () => ({ ...A6, width: 30, height: 30 })) });
      expect(await rendered(many)).toHaveLength(MAX_PAGES);
      expect(await rendered(many, 3)).toHaveLength(3);
      expect(await rendered(many, 0)).toEqual([]);
      for await (const { page } of renderer.pages(many, MAX_PAGES)) if (page === 2) break;
      expect(await rendered(many, 1)).toHaveLength(1);
    });

    eachCase(it, [
      [0, 'top', [620, 875]],
      [90, 'right', [875, 620]],
      [180, 'bottom', [620, 875]],
      [270, 'left', [875, 620]],
    ])('rotated by %d° is rendered as displayed', async (rotate, side, [width = 0, height = 0]) => {
      const [page] = await rendered(single({ rotate }));
      expect(Math.abs(page!.width - width)).toBeLessThanOrEqual(1);
      expect(Math.abs(page!.height - height)).toBeLessThanOrEqual(1);
      expect(await colouredSide(page!)).toContain(side);
    });

    eachCase(it, [
      ['a poster', 14_400, 7_200, [2_000, 1_000]],
      ['a wall', 2_000_000, 1_000_000, [2_000, 1_000]],
      ['a strip', 100, 100_000, [2, 2_000]],
      ['A2', 1_191, 1_684, [1_414, 2_000]],
    ])('as large as %s has at maxPages 2,000 pixels a side', async (_, width, height, size) => {
      const [page] = await rendered(single({ width, height }));
      expect(sizes([page!])).toEqual([size]);
      expect((await look(page!.bytes)).at(0.5, 0.25)).toEqual([255, 0, 0, 255]);
    });

    it('as small as a dot has a pixel', async () => {
      expect(sizes(await rendered(single({ width: 0.2, height: 0.2 })))).toEqual([[1, 1]]);
    });

    eachCase(it, [
      ['with a wrong object table', (text: string) => text.replace(/startxref\n\d+/, 'startxref\n7')],
      ['without object table', (text: string) => text.replace(/xref\n0[\s\S]*?trailer/, 'trailer')],
      ['with leading bytes', (text: string) => `${' '.repeat(500)}\n${text}`],
      ['with trailing bytes', (text: string) => `${text}${'\0'.repeat(500)}`],
    ])('%s is rendered', async (_, broken) => {
      const [page] = await rendered(encodeLatin1(broken(decodeLatin1(single({})))));
      expect(await colouredSide(page!)).toContain('top');
    });

    it('without pages gives none or is unreadable', async () => {
      const none = await rendered(pdfSample({ pages: [] })).catch((error: unknown) => error);
      expect(isUnreadableFile(none) || (Array.isArray(none) && none.length === 0)).toBe(true);
    });

    it('may be one of many concurrent ones', async () => {
      const all = await Promise.all(Array.from({ length: 4 }, () => rendered(single({}))));
      expect(all.map((pages) => pages.length)).toEqual([1, 1, 1, 1]);
    });

    it('does not block the event loop', async () => {
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

  describe('an invalid document', () => {
    const whole = single({});
    eachCase(it, [
      ['an empty file', new Uint8Array()],
      ['text', encodeLatin1('Hello '.repeat(100))],
      ['a signature only', encodeLatin1('%PDF-1.7\n')],
      ['a truncated file', whole.subarray(0, 40)],
      ['a garbled file', whole.map((byte, index) => (index > 8 ? byte ^ 0x55 : byte))],
      ['no catalogue', encodeLatin1(decodeLatin1(whole).replace('/Catalog', '/Nothing').replace('/Root 1', '/Root 9'))],
      ['a password', encryptedPdf()],
    ])('is unreadable: %s', async (_, bytes) => {
      await expect(rendered(bytes)).rejects.toMatchObject({ name: 'UnreadableFile' });
    });

    it('does not affect the next one', async () => {
      await rendered(encodeLatin1('%PDF-1.7')).catch(() => {});
      expect(await rendered(whole)).toHaveLength(1);
    });
  });
  describe('a thread', () => {
    it('ends with its document', async () => {
      await rendered(single({}));
      const atFirst = await given.countThreads?.();
      for (let turn = 0; turn < MANY; turn += 1) await rendered(single({}), 1);
      if (atFirst !== undefined) expect(await given.countThreads?.()).toBeLessThan(atFirst + MANY / 2);
    }, 30_000);
  });

  describe('the limits of a document', () => {
    /** Two million large rectangles. */
    const slow = (): Uint8Array => single({ content: '0 0 300 400 re f\n'.repeat(2_000_000) });
    /** A black page: an image of 48 MB in 750 kB. */
    const black = (): Uint8Array => {
      // Each pair of bytes is a run of 128 zeros.
      const packed = `${'\u0081\0'.repeat((4_000 * 4_000 * 3) / 128)}\u0080`;
      const image =
        '/Subtype/Image/Width 4000/Height 4000/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/RunLengthDecode';
      const drawn = { resources: '/XObject<</Picture 5 0 R>>', content: 'q 300 0 0 420 0 0 cm /Picture Do Q' };
      return pdfSample({
        pages: [{ ...A6, ...drawn }],
        objects: [`<<${image}/Length ${packed.length}>>\nstream\n${packed}\nendstream`],
      });
    };
    const isBlack = async (by: PageRenderer): Promise<boolean> => {
      const [page] = await rendered(black(), 1, by);
      return page !== undefined && (await look(page.bytes)).at(0.5, 0.5)[0] === 0;
    };

    it(
      'end one that takes too long, which is not unreadable, and no other',
      async () => {
        const limited = given.openLimited?.({ timeoutMs: 700 });
        if (limited === undefined) return;
        const [late, next] = [rendered(slow(), 1, limited), rendered(single({}), 1)];
        const error: unknown = await late.catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(Error);
        expect(isUnreadableFile(error)).toBe(false);
        expect(await next).toHaveLength(1);
        await limited.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'include the time in which a caller reads no further, so the next one is not blocked',
      async () => {
        const limited = given.openLimited?.({ timeoutMs: 2_000 });
        if (limited === undefined) return;
        const abandoned = limited.pages(single({}), MAX_PAGES)[Symbol.asyncIterator]();
        await abandoned.next();
        expect(await rendered(single({}), 1, limited)).toHaveLength(1);
        await expect(abandoned.next()).rejects.toThrow();
        await limited.close();
      },
      SLOW_TEST_MS,
    );

    it(
      'end one that takes too much memory, or leave its large image out',
      async () => {
        const [ample, scarce] = [256, 40].map((memoryMegabytes) => given.openLimited?.({ memoryMegabytes }));
        if (!ample || !scarce) return;
        expect(await isBlack(ample)).toBe(true);
        expect(await isBlack(scarce).catch(() => false)).toBe(false);
        const large = new Uint8Array(41 * 2 ** 20);
        large.set(single({}));
        await expect(rendered(large, 1, scarce)).rejects.toThrow();
        expect(await rendered(single({}), 1, scarce)).toHaveLength(1);
        await Promise.all([ample.close(), scarce.close()]);
      },
      SLOW_TEST_MS,
    );

    it(
      'do not keep a renderer from closing, which ends its documents',
      async () => {
        const closed = given.openLimited?.({});
        if (closed === undefined) return;
        const work = rendered(slow(), 1, closed).catch(() => 'ended');
        await new Promise((resolve) => setTimeout(resolve, 300));
        await closed.close();
        const soon = new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(await Promise.race([work, soon])).toBe('ended');
      },
      SLOW_TEST_MS,
    );
  });
}

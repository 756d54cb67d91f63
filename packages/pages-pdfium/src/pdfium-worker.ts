import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium';
import type { Size } from '@back-office/media';
import { parentPort, workerData } from 'node:worker_threads';
import { PNG } from 'pngjs';
import { limitMemory } from './memory-limit.js';
import type { PdfiumAnswer, PdfiumTask } from './pdfium-page-renderer.js';

const { bytes, memoryMegabytes } = workerData as PdfiumTask;
const DOTS_A_POINT = 150 / 72;
const LONGEST_SIDE = 2_000;
/** Colours without transparency, each row as it differs from the one above. */
const PNG_OPTIONS = { colorType: 2, filterType: 2, deflateLevel: 6 } as const;
let document: PDFiumDocument | undefined;

parentPort?.on('message', (page: number) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answered(page).then((answer) => parentPort?.postMessage(answer));
});

async function answered(page: number): Promise<PdfiumAnswer> {
  // The library does not look whether it was given the memory for the document itself.
  if (bytes.length > (memoryMegabytes * 2 ** 20) / 2) return { error: 'The document takes too much memory' };
  try {
    document ??= await opened();
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
  try {
    return page > document.getPageCount() ? { end: true } : await rendered(document.getPage(page - 1), page);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

async function opened(): Promise<PDFiumDocument> {
  const library = await PDFiumLibrary.init();
  limitMemory(memoryMegabytes);
  return library.loadDocument(bytes);
}

async function rendered(page: PDFiumPage, number: number): Promise<PdfiumAnswer> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const size = sizeOf(originalWidth, originalHeight);
  if (size === undefined) return { unreadable: 'A page of no size' };
  const { data } = await page.render({ ...size, scale: 1, render: 'bitmap' });
  return { page: { page: number, ...size, bytes: pngOf(data, size) } };
}

/** `undefined` when nobody can say how large the page is. */
function sizeOf(width: number, height: number): Size | undefined {
  const longest = Math.max(width, height);
  if (!(width > 0 && height > 0 && longest < Infinity)) return undefined;
  const scale = Math.min(DOTS_A_POINT, LONGEST_SIDE / longest);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function pngOf(pixels: Uint8Array, { width, height }: Size): Uint8Array {
  const png = new PNG({ width, height });
  png.data = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  return PNG.sync.write(png, PNG_OPTIONS);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

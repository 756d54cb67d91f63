import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium';
import type { Size } from '@back-office/media';
import { parentPort, workerData } from 'node:worker_threads';
import { PNG } from 'pngjs';
import { limitMemory } from '@back-office/upload-parser/processes';
import type { PdfiumReply, PdfiumTask } from './pdfium-page-renderer.js';

const { bytes, memoryMegabytes } = workerData as PdfiumTask;
const DOTS_PER_POINT = 150 / 72;
const MAX_SIDE_PIXELS = 2_000;
/** RGB without alpha; filter type 2 is `Up`. */
const PNG_OPTIONS = { colorType: 2, filterType: 2, deflateLevel: 6 } as const;
let document: PDFiumDocument | undefined;

parentPort?.on('message', (page: number) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void handleRequest(page).then((reply) => parentPort?.postMessage(reply));
});

async function handleRequest(page: number): Promise<PdfiumReply> {
  // Refuses a large document here, because the library does not check whether its allocation succeeds.
  if (bytes.length > (memoryMegabytes * 2 ** 20) / 2) return { exceededLimit: 'The document takes too much memory' };
  try {
    document ??= await openDocument();
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
  try {
    return page > document.getPageCount() ? { end: true } : await renderPage(document.getPage(page - 1), page);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

async function openDocument(): Promise<PDFiumDocument> {
  const library = await PDFiumLibrary.init();
  limitMemory(memoryMegabytes);
  return library.loadDocument(bytes);
}

async function renderPage(page: PDFiumPage, number: number): Promise<PdfiumReply> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const size = sizeOf(originalWidth, originalHeight);
  if (size === undefined) return { unreadable: 'A page without size' };
  const { data } = await page.render({ ...size, scale: 1, render: 'bitmap' });
  return { page: { page: number, ...size, bytes: encodePng(data, size) } };
}

function sizeOf(width: number, height: number): Size | undefined {
  const longestSide = Math.max(width, height);
  if (!(width > 0 && height > 0 && longestSide < Infinity)) return undefined;
  const scale = Math.min(DOTS_PER_POINT, MAX_SIDE_PIXELS / longestSide);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function encodePng(pixels: Uint8Array, { width, height }: Size): Uint8Array {
  const png = new PNG({ width, height });
  png.data = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  return PNG.sync.write(png, PNG_OPTIONS);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { TYPE_HEAD_BYTES, type Size } from '@back-office/media';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { decoderFor } from './decode.js';
import { SVG } from './allow-lists.js';

const LENGTH = /^\s*\+?(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?(px|pt|pc|mm|cm|in|q|em|ex|rem)?\s*$/i;
/** CSS pixels per unit, at the default font size. */
const PIXELS_PER_UNIT: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  q: 96 / 101.6,
  em: 16,
  ex: 8,
  rem: 16,
};
const MAX_PIXELS = 1_000_000;

/**
 * Reads width and height in pixels from the first 64 kB of a drawing: from its attributes, or else from its view box.
 * Returns `undefined` when the drawing has neither, or the file is no drawing.
 */
export function svgSize(head: Uint8Array): Size | undefined {
  const root = readRoot(head);
  if (root?.uri !== SVG || root.local !== 'svg') return undefined;
  const attributeValue = (name: string): string => root.attributes[name]?.value ?? '';
  const [width, height, viewBox] = [
    parsePixels(attributeValue('width')),
    parsePixels(attributeValue('height')),
    parseBox(attributeValue('viewBox')),
  ];
  return (
    toValidSize(width, height) ??
    toValidSize(width, viewBox && width && (width * viewBox.height) / viewBox.width) ??
    toValidSize(viewBox && height && (height * viewBox.width) / viewBox.height, height) ??
    toValidSize(viewBox?.width, viewBox?.height)
  );
}

function readRoot(head: Uint8Array): SaxesTagNS | undefined {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let root: SaxesTagNS | undefined;
  parser.on('opentag', (tag) => (root ??= tag));
  // Ignores errors after the root, because the head may be truncated.
  parser.on('error', () => {});
  try {
    parser.write(decoderFor(head).decode(head.subarray(0, TYPE_HEAD_BYTES), { stream: true }));
  } catch {
    return root;
  }
  return root;
}

function parsePixels(length: string): number | undefined {
  const [, number, exponent = '0', unit = 'px'] = LENGTH.exec(length) ?? [];
  return number === undefined
    ? undefined
    : Number(`${number}e${exponent}`) * (PIXELS_PER_UNIT[unit.toLowerCase()] ?? 1);
}

function parseBox(viewBox: string): Size | undefined {
  const [, , width = 0, height = 0] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function toValidSize(width: number | undefined, height: number | undefined): Size | undefined {
  if (width === undefined || height === undefined || !(width > 0 && height > 0)) return undefined;
  if (width > MAX_PIXELS || height > MAX_PIXELS) return undefined;
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

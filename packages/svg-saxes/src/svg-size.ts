import { TYPE_HEAD, type Size } from '@back-office/media';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { decoderFor } from './characters.js';
import { SVG } from './names.js';

const LENGTH = /^\s*\+?(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?(px|pt|pc|mm|cm|in|q|em|ex|rem)?\s*$/i;
/** Pixels of CSS; letters as large as they are where nobody says otherwise. */
const PIXELS: Readonly<Record<string, number>> = {
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
const LARGEST = 1_000_000;

/**
 * Width and height of a drawing in pixels, by its first 64 kB: as it gives them, else as its view box does. `undefined`
 * when it gives neither, and when it is no drawing.
 */
export function svgSize(head: Uint8Array): Size | undefined {
  const root = rootOf(head);
  if (root?.uri !== SVG || root.local !== 'svg') return undefined;
  const value = (name: string): string => root.attributes[name]?.value ?? '';
  const [width, height, box] = [pixels(value('width')), pixels(value('height')), boxOf(value('viewBox'))];
  return (
    sized(width, height) ??
    sized(width, box && width && (width * box.height) / box.width) ??
    sized(box && height && (height * box.width) / box.height, height) ??
    sized(box?.width, box?.height)
  );
}

function rootOf(head: Uint8Array): SaxesTagNS | undefined {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let root: SaxesTagNS | undefined;
  parser.on('opentag', (tag) => (root ??= tag));
  // Where the head breaks off, or what is broken after the root, is not asked here.
  parser.on('error', () => {});
  try {
    parser.write(decoderFor(head).decode(head.subarray(0, TYPE_HEAD), { stream: true }));
  } catch {
    return root;
  }
  return root;
}

function pixels(length: string): number | undefined {
  const [, number, exponent = '0', unit = 'px'] = LENGTH.exec(length) ?? [];
  return number === undefined ? undefined : Number(`${number}e${exponent}`) * (PIXELS[unit.toLowerCase()] ?? 1);
}

function boxOf(viewBox: string): Size | undefined {
  const [, , width = 0, height = 0] = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function sized(width: number | undefined, height: number | undefined): Size | undefined {
  if (width === undefined || height === undefined || !(width > 0 && height > 0)) return undefined;
  if (width > LARGEST || height > LARGEST) return undefined;
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

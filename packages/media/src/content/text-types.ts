import { decodeLatin1, matchesAt, u16, type ByteOrder } from '../formats/octets.js';

const [TAB, LINE_FEED, FORM_FEED, RETURN] = [9, 10, 12, 13];
/** Files with these signatures have other types, although they may look like text. */
const OTHER_SIGNATURES = ['GIF87a', 'GIF89a', '%PDF-', '%!PS', 'RIFF', 'OggS', 'PK\x03\x04', '#!', '\x89PNG', 'MZ\x90'];
const PROLOGUE = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)+/;
const DOCTYPE = /^<!DOCTYPE\s+(?:\w+:)?svg\b[^[>]*(?:\[[\s\S]*?\]\s*)?>/;
const ROOT = /^<(?:\w+:)?svg[\s/>]/;

/** Checks only the root element, because SVG is sanitized before it is stored. */
export function isSvg(head: Uint8Array): boolean {
  const text = decodeAsciiNames(head);
  if (text === undefined) return false;
  const afterPrologue = text.replace(PROLOGUE, '');
  const afterDoctype = afterPrologue.replace(DOCTYPE, '');
  return ROOT.test(afterDoctype.replace(PROLOGUE, ''));
}

export function isPlainText(head: Uint8Array): boolean {
  if (head.length === 0 || OTHER_SIGNATURES.some((signature) => matchesAt(head, 0, signature))) return false;
  const order = utf16Order(head);
  const isReadable = order ? isUtf16(head, order) : isUtf8(head);
  return isReadable && !/^\s*<[a-z!?/]/i.test(decodeAsciiNames(head) ?? '');
}

/** Maps each byte or UTF-16 unit to one character. This preserves ASCII names. */
function decodeAsciiNames(head: Uint8Array): string | undefined {
  const order = utf16Order(head);
  if (order === undefined) {
    const text = decodeLatin1(head, matchesAt(head, 0, '\xef\xbb\xbf') ? 3 : 0);
    return text.includes('\0') ? undefined : text;
  }
  const units = Array.from({ length: Math.floor(head.length / 2) - 1 }, (_, index) => u16(head, 2 + 2 * index, order));
  return units.map((unit) => String.fromCharCode(unit)).join('');
}

function utf16Order(head: Uint8Array): ByteOrder | undefined {
  if (matchesAt(head, 0, '\xff\xfe')) return 'little';
  return matchesAt(head, 0, '\xfe\xff') ? 'big' : undefined;
}

function isUtf16(head: Uint8Array, order: ByteOrder): boolean {
  let isAfterHighSurrogate = false;
  for (let at = 2; at + 2 <= head.length; at += 2) {
    const unit = u16(head, at, order);
    const isLowSurrogate = unit >= 0xdc00 && unit <= 0xdfff;
    if (isAfterHighSurrogate !== isLowSurrogate || isControl(unit)) return false;
    isAfterHighSurrogate = unit >= 0xd800 && unit <= 0xdbff;
  }
  return true;
}

/** Accepts an incomplete last character, because the head may end within it. */
function isUtf8(head: Uint8Array): boolean {
  for (let at = 0; at < head.length;) {
    const firstByte = head[at] ?? 0;
    const size =
      firstByte < 0x80
        ? 1
        : firstByte < 0xc2
          ? 0
          : firstByte < 0xe0
            ? 2
            : firstByte < 0xf0
              ? 3
              : firstByte < 0xf5
                ? 4
                : 0;
    if (size === 0) return false;
    const continuationBytes = head.subarray(at + 1, at + size);
    if (continuationBytes.some((byte) => byte >> 6 !== 2)) return false;
    const code = continuationBytes.reduce(
      (sum, byte) => sum * 0x40 + (byte & 0x3f),
      size === 1 ? firstByte : firstByte & (0x7f >> size),
    );
    const isComplete = continuationBytes.length === size - 1;
    if (isComplete && (isControl(code) || !isShortestForm(code, size))) return false;
    at += size;
  }
  return true;
}

/** Rejects overlong encodings and surrogates. */
function isShortestForm(code: number, size: number): boolean {
  const min = [0, 0, 0x80, 0x800, 0x1_0000][size] ?? 0;
  return code >= min && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
}

function isControl(code: number): boolean {
  if (code === TAB || code === LINE_FEED || code === FORM_FEED || code === RETURN) return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

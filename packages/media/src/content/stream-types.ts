import { trimEndCharacters } from '@back-office/kernel';
import { mayBeTruncated } from './head.js';
import { ebmlElementAt } from '../formats/ebml.js';
import { isoBoxes } from '../formats/iso-boxes.js';
import { decodeLatin1, matchesAt, u16, u32 } from '../formats/octets.js';
import { isoBrands } from './raster-types.js';

const AUDIO_BRANDS = new Set(['M4A ', 'M4B ', 'M4P ', 'F4A ']);
const VIDEO_BRANDS =
  /^(iso[m2-9a-c]|mp4[12]|mp71|avc1|M4V[ HP]?|MSNV|dash|ndsc|NDSC|XAVC|f4v |cmf[c2]|hvc1|hev1|av01)$/;
const QUICKTIME_BOXES = new Set(['wide', 'free', 'skip', 'mdat', 'moov', 'pnot', 'uuid', 'PICT', 'meta']);
const [EBML, EBML_VOID, DOC_TYPE, SEGMENT] = [0x1a45_dfa3, 0xec, 0x4282, 0x1853_8067];
const LAYER_3 = 1;
const KILOBITS = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const HERTZ = [44_100, 48_000, 32_000];
const OGG_CODECS = ['\x01vorbis', 'OpusHead', '\x7fFLAC', 'Speex   '];

export function isoMediaType(head: Uint8Array): string | undefined {
  const brands = isoBrands(head);
  if (brands === undefined) return isBareQuickTime(head) ? 'video/quicktime' : undefined;
  const [major = '', ...compatibleBrands] = brands;
  if (/^(avi[fs]|mif1|msf1|hei[cxms]|hev[cx])$/.test(major)) return undefined;
  for (const brand of [major, ...compatibleBrands]) {
    if (AUDIO_BRANDS.has(brand)) return 'audio/mp4';
    if (brand === 'qt  ') return 'video/quicktime';
    if (VIDEO_BRANDS.test(brand)) return 'video/mp4';
  }
  return undefined;
}

/** A QuickTime file without brands starts with a known box and contains a movie header or samples. */
function isBareQuickTime(head: Uint8Array): boolean {
  const seenTypes = new Set<string>();
  for (const { type, from, to } of isoBoxes(head, 0, Infinity)) {
    if (!QUICKTIME_BOXES.has(type) && seenTypes.size === 0) return false;
    seenTypes.add(type);
    if (type === 'moov') return /^(mvhd|cmov|rmra)$/.test(decodeLatin1(head, from + 4, from + 8));
    if (to > head.length) return type === 'mdat' && to - from > 8 && mayBeTruncated(head);
  }
  return false;
}

export function isWebm(head: Uint8Array): boolean {
  const header = ebmlElementAt(head);
  if (header?.id !== EBML || header.size === Infinity) return false;
  const end = header.headSize + header.size;
  return readDocType(head, header.headSize, end) === 'webm' && isSegmentNext(head, end);
}

function readDocType(head: Uint8Array, from: number, to: number): string | undefined {
  for (let at = from; at < Math.min(to, head.length);) {
    const element = ebmlElementAt(head, at);
    if (element === undefined) return undefined;
    const { id, headSize, size } = element;
    at += headSize + size;
    if (at > to) return undefined;
    // Removes trailing zeros, because some programs pad the text with them.
    if (id === DOC_TYPE) return trimEndCharacters(decodeLatin1(head, at - size, at), '\0');
  }
  return undefined;
}

function isSegmentNext(head: Uint8Array, end: number): boolean {
  for (let at = end; at + 4 <= head.length;) {
    const element = ebmlElementAt(head, at);
    if (element?.id !== EBML_VOID || element.size === Infinity) return u32(head, at) === SEGMENT;
    at += element.headSize + element.size;
  }
  return true;
}

export function isMp3(head: Uint8Array): boolean {
  const at = offsetAfterTags(head);
  if (at === undefined) return false;
  if (at > 0 && at >= head.length)
    return mayBeTruncated(head) && /^[A-Z][A-Z0-9]{2}|^\0{3}/.test(decodeLatin1(head, 10, 13));
  const size = mp3FrameSize(head, at);
  return size !== undefined && (at + size + 4 > head.length ? at > 0 : mp3FrameSize(head, at + size) !== undefined);
}

function offsetAfterTags(head: Uint8Array): number | undefined {
  let at = 0;
  while (matchesAt(head, at, 'ID3')) {
    const [version = 0, , flags = 0, ...size] = head.subarray(at + 3, at + 10);
    if (version < 2 || version > 4 || flags & 0x0f || size.length < 4 || size.some((byte) => byte > 0x7f))
      return undefined;
    at += 10 + size.reduce((sum, byte) => sum * 0x80 + byte, 0) + (flags & 0x10 ? 10 : 0);
  }
  if (at > 0) while (head[at] === 0) at += 1;
  return at;
}

function mp3FrameSize(head: Uint8Array, at: number): number | undefined {
  const bits = u32(head, at);
  const version = (bits >>> 19) & 3;
  const [rate, hertz] = [(bits >>> 12) & 15, HERTZ[(bits >>> 10) & 3]];
  if (bits >>> 21 !== 0x7ff || version === 1 || ((bits >>> 17) & 3) !== LAYER_3 || hertz === undefined)
    return undefined;
  const kilobits = (version === 3 ? KILOBITS.mpeg1 : KILOBITS.mpeg2)[rate];
  if (!kilobits) return undefined;
  const samples = version === 3 ? 1_152 : 576;
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4;
  return Math.floor(((samples / 8) * kilobits * 1_000 * divisor) / hertz) + ((bits >>> 9) & 1);
}

/** Accepts only audio. Ogg video starts with a different packet. */
export function isOgg(head: Uint8Array): boolean {
  const isFirstPage = matchesAt(head, 0, 'OggS\0') && ((head[5] ?? 0) & 7) === 2;
  const body = 27 + (head[26] ?? 0);
  return isFirstPage && OGG_CODECS.some((codec) => matchesAt(head, body, codec));
}

export function isWav(head: Uint8Array): boolean {
  if (!matchesAt(head, 0, 'RIFF') || !matchesAt(head, 8, 'WAVE')) return false;
  for (let at = 12; at + 8 <= head.length;) {
    const size = u32(head, at + 4, 'little');
    if (matchesAt(head, at, 'fmt '))
      return size >= 14 && u16(head, at + 10, 'little') > 0 && u32(head, at + 12, 'little') > 0;
    if (matchesAt(head, at, 'data')) return false;
    at += 8 + size + (size % 2);
  }
  return false;
}

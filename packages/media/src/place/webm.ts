import { u32 } from '../octets.js';
import type { Passage, Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const EBML = 0x1a45_dfa3;
const SEGMENT = 0x1853_8067;
const CLUSTER = 0x1f43_b675;
const LONGEST_HEAD = 12;
const VOID = 0xec;
const SEEK_HEAD = 0x114d_9b74;
const [INFO, TRACKS, CUES, CHAPTERS] = [0x1549_a966, 0x1654_ae6b, 0x1c53_bb6b, 0x1043_a770];
/** Of a cluster whose size was not known when it was begun: its parts follow as if they stood in the segment. */
const IN_CLUSTER = [0xe7, 0xa3, 0xa0, 0xa7, 0xab, 0xaf, 0x5854];
const KEPT = new Set([EBML, SEEK_HEAD, INFO, TRACKS, CUES, CHAPTERS, CLUSTER, ...IN_CLUSTER]);

interface Element {
  readonly id: number;
  /** Of what stands before the content. */
  readonly headSize: number;
  /** Of the content; infinite when nobody knew it. */
  readonly size: number;
}

/** Of a WebM every byte keeps its place; tags, attachments and what nobody knows become void elements of zeros. */
export function* webm(file: Passage): Work {
  let end = Infinity;
  for (let isFirst = true; file.position < end && (yield* file.holds(1)); isFirst = false) {
    const element = elementAt(yield* file.ahead(LONGEST_HEAD));
    if (element === undefined) {
      if (file.held < LONGEST_HEAD) return;
      throw new UnreadableFile('No element of WebM');
    }
    const { id, headSize, size } = element;
    if (isFirst !== (id === EBML)) throw new UnreadableFile('No beginning of a WebM');
    if (id === SEGMENT) {
      end = file.position + headSize + size;
      yield* file.pass(headSize);
    } else if (size === Infinity) {
      if (id !== CLUSTER) throw new UnreadableFile('An element of WebM without an end');
      yield* file.pass(headSize);
    } else if (KEPT.has(id)) yield* file.pass(headSize + size);
    else yield* voided(file, element);
  }
}

function elementAt(bytes: Uint8Array): Element | undefined {
  const idSize = lengthOf(bytes[0]);
  const sizeSize = lengthOf(bytes[idSize]);
  const headSize = idSize + sizeSize;
  if (idSize > 4 || sizeSize > 8 || headSize > bytes.length) return undefined;
  const [first = 0, ...others] = bytes.subarray(idSize, headSize);
  const largest = 2 ** (7 * sizeSize) - 1;
  const size = others.reduce((number, digit) => number * 0x100 + digit, first & (0xff >> sizeSize));
  const isUnknown = size >= Math.min(largest, Number.MAX_SAFE_INTEGER);
  return { id: u32(bytes, 0) >>> (8 * (4 - idSize)), headSize, size: isUnknown ? Infinity : size };
}

/** How long a number is: the first bit that is set tells. */
function lengthOf(first = 0): number {
  return Math.clz32(first) - 23;
}

function* voided(file: Passage, { headSize, size }: Element): Work {
  const sizeSize = Math.min(headSize - 1, 8);
  const left = size + headSize - 1 - sizeSize;
  file.write(Uint8Array.of(VOID, ...Array.from({ length: sizeSize }, (_, index) => byteOf(left, sizeSize, index))));
  yield* file.drop(headSize);
  file.writeZeros(headSize - 1 - sizeSize);
  yield* file.blank(size);
}

/** The byte of a number so long, with the bit that tells the length. */
function byteOf(number: number, length: number, index: number): number {
  const byte = Math.floor(number / 2 ** (8 * (length - 1 - index))) % 0x100;
  return index === 0 ? byte | (1 << (8 - length)) : byte;
}

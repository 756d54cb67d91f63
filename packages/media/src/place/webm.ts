import { ebmlElementAt, MAX_EBML_HEAD_BYTES, type EbmlElement } from '../ebml.js';
import type { Passage, Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const EBML = 0x1a45_dfa3;
const SEGMENT = 0x1853_8067;
const CLUSTER = 0x1f43_b675;
const VOID = 0xec;
const SEEK_HEAD = 0x114d_9b74;
const [INFO, TRACKS, CUES, CHAPTERS] = [0x1549_a966, 0x1654_ae6b, 0x1c53_bb6b, 0x1043_a770];
/** Of a cluster whose size was not known when it was begun: its parts follow as if they stood in the segment. */
const IN_CLUSTER = [0xe7, 0xa3, 0xa0, 0xa7, 0xab, 0xaf, 0x5854];
const KEPT = new Set([EBML, SEEK_HEAD, INFO, TRACKS, CUES, CHAPTERS, CLUSTER, ...IN_CLUSTER]);

/** Of a WebM every byte keeps its place; tags, attachments and what nobody knows become void elements of zeros. */
export function* webm(file: Passage): Work {
  let end = Infinity;
  for (let isFirst = true; file.position < end && (yield* file.holds(1)); isFirst = false) {
    const element = ebmlElementAt(yield* file.ahead(MAX_EBML_HEAD_BYTES));
    if (element === undefined) {
      if (file.held < MAX_EBML_HEAD_BYTES) return;
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

function* voided(file: Passage, { headSize, size }: EbmlElement): Work {
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

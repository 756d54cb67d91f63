import { ebmlElementAt, MAX_EBML_HEAD_BYTES, type EbmlElement } from '../formats/ebml.js';
import type { FileStream, Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const EBML = 0x1a45_dfa3;
const SEGMENT = 0x1853_8067;
const CLUSTER = 0x1f43_b675;
const VOID = 0xec;
const INDEX = 0x114d_9b74;
const [INFO, TRACKS, CUES, CHAPTERS] = [0x1549_a966, 0x1654_ae6b, 0x1c53_bb6b, 0x1043_a770];
/** Ids of the children of a cluster. If the size of the cluster is unknown, they look like children of the segment. */
const CLUSTER_CHILDREN = [0xe7, 0xa3, 0xa0, 0xa7, 0xab, 0xaf, 0x5854];
const KEPT_ELEMENTS = new Set([EBML, INDEX, INFO, TRACKS, CUES, CHAPTERS, CLUSTER, ...CLUSTER_CHILDREN]);

/** Keeps the length and all offsets. Turns tags, attachments and unknown elements into void elements of zeros. */
export function* stripWebm(file: FileStream): Coroutine {
  let end = Infinity;
  for (let isFirst = true; file.position < end && (yield* file.waitFor(1)); isFirst = false) {
    const element = ebmlElementAt(yield* file.lookAhead(MAX_EBML_HEAD_BYTES));
    if (element === undefined) {
      if (file.available < MAX_EBML_HEAD_BYTES) return;
      throw new UnreadableFile('Invalid WebM element');
    }
    const { id, headSize, size } = element;
    if (isFirst !== (id === EBML)) throw new UnreadableFile('Not a WebM file');
    if (id === SEGMENT) {
      end = file.position + headSize + size;
      yield* file.copy(headSize);
    } else if (size === Infinity) {
      if (id !== CLUSTER) throw new UnreadableFile('A WebM element of unknown size');
      yield* file.copy(headSize);
    } else if (KEPT_ELEMENTS.has(id)) yield* file.copy(headSize + size);
    else yield* voidElement(file, element);
  }
}

function* voidElement(file: FileStream, { headSize, size }: EbmlElement): Coroutine {
  const sizeLength = Math.min(headSize - 1, 8);
  const contentSize = size + headSize - 1 - sizeLength;
  file.write(
    Uint8Array.of(VOID, ...Array.from({ length: sizeLength }, (_, index) => vintByte(contentSize, sizeLength, index))),
  );
  yield* file.drop(headSize);
  file.writeZeros(headSize - 1 - sizeLength);
  yield* file.blank(size);
}

function vintByte(number: number, length: number, index: number): number {
  const byte = Math.floor(number / 2 ** (8 * (length - 1 - index))) % 0x100;
  return index === 0 ? byte | (1 << (8 - length)) : byte;
}

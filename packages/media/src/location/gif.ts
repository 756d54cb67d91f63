import { decodeLatin1 } from '../formats/octets.js';
import type { FileStream, Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const [IMAGE, EXTENSION, TRAILER] = [0x2c, 0x21, 0x3b];
const [PLAIN_TEXT, CONTROL, APPLICATION] = [0x01, 0xf9, 0xff];
const HEADER_SIZE = 13;
const DESCRIPTOR_SIZE = 10;
const APPLICATION_SIZE = 14;
const KEPT_APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/**
 * Keeps images, animation and the colour profile. Drops comments, XMP, other application data and everything after the
 * end. Ends the file at the first invalid block, like a browser.
 */
export function* stripGif(file: FileStream): Coroutine {
  const header = yield* file.lookAhead(HEADER_SIZE);
  if (!isGif(header)) throw new UnreadableFile('Not a GIF');
  yield* file.copy(HEADER_SIZE + colourTableSize(header[10]));
  while (yield* file.waitFor(2)) {
    const [kind, label] = file.peek(2);
    if (kind === IMAGE) yield* copyImage(file);
    else if (kind === EXTENSION) yield* stripExtension(file, label);
    else break;
  }
  if (yield* file.waitFor(1)) file.write(Uint8Array.of(TRAILER));
}

export function isGif(header: Uint8Array): boolean {
  return header.length >= HEADER_SIZE && /^GIF8[79]a$/.test(decodeLatin1(header, 0, 6));
}

export function colourTableSize(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function* copyImage(file: FileStream): Coroutine {
  const descriptor = yield* file.lookAhead(DESCRIPTOR_SIZE);
  yield* file.copy(DESCRIPTOR_SIZE + colourTableSize(descriptor[9]) + 1);
  yield* stripBlocks(file, true);
}

function* stripExtension(file: FileStream, label: number | undefined): Coroutine {
  const head = yield* file.lookAhead(APPLICATION_SIZE);
  const isKept =
    label === PLAIN_TEXT ||
    label === CONTROL ||
    (label === APPLICATION && head[2] === 11 && KEPT_APPLICATIONS.has(decodeLatin1(head, 3)));
  yield* isKept ? file.copy(2) : file.drop(2);
  yield* stripBlocks(file, isKept);
}

/**
 * Copies or drops a list of blocks. Each block has a size prefix and up to 255 bytes; an empty block is the last one.
 */
function* stripBlocks(file: FileStream, isKept: boolean): Coroutine {
  while (yield* file.waitFor(1)) {
    const bytes = file.peek();
    let at = 0;
    while (bytes[at]) at += 1 + (bytes[at] ?? 0);
    const isLast = at < bytes.length;
    yield* isKept ? file.copy(isLast ? at + 1 : at) : file.drop(isLast ? at + 1 : at);
    if (isLast) return;
  }
}

import { latin1 } from '../octets.js';
import type { Passage, Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const [IMAGE, EXTENSION, TRAILER] = [0x2c, 0x21, 0x3b];
const [PLAIN_TEXT, CONTROL, APPLICATION] = [0x01, 0xf9, 0xff];
const HEADER_SIZE = 13;
const DESCRIPTOR_SIZE = 10;
const APPLICATION_SIZE = 14;
/** How often it plays, and the colour profile. */
const KEPT_APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/**
 * Of a GIF go on: its images, how they move, and its colour profile. Comments, XMP and what other applications put in
 * go, and everything after the end. Where no block begins the file ends, as it does for a browser.
 */
export function* gif(file: Passage): Work {
  const header = yield* file.ahead(HEADER_SIZE);
  if (!isGif(header)) throw new UnreadableFile('No beginning of a GIF');
  yield* file.pass(HEADER_SIZE + colourTableSize(header[10]));
  while (yield* file.holds(2)) {
    const [kind, label] = file.head(2);
    if (kind === IMAGE) yield* image(file);
    else if (kind === EXTENSION) yield* extension(file, label);
    else break;
  }
  if (yield* file.holds(1)) file.write(Uint8Array.of(TRAILER));
}

export function isGif(header: Uint8Array): boolean {
  return header.length >= HEADER_SIZE && /^GIF8[79]a$/.test(latin1(header, 0, 6));
}

/** In bytes; the flags say whether there is one. */
export function colourTableSize(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function* image(file: Passage): Work {
  const descriptor = yield* file.ahead(DESCRIPTOR_SIZE);
  yield* file.pass(DESCRIPTOR_SIZE + colourTableSize(descriptor[9]) + 1);
  yield* blocks(file, true);
}

function* extension(file: Passage, label: number | undefined): Work {
  const head = yield* file.ahead(APPLICATION_SIZE);
  const isKept =
    label === PLAIN_TEXT ||
    label === CONTROL ||
    (label === APPLICATION && head[2] === 11 && KEPT_APPLICATIONS.has(latin1(head, 3)));
  yield* isKept ? file.pass(2) : file.drop(2);
  yield* blocks(file, isKept);
}

/** Blocks of up to 255 bytes, each after its size; the one of size 0 is the last. */
function* blocks(file: Passage, isKept: boolean): Work {
  while (yield* file.holds(1)) {
    const held = file.head();
    let at = 0;
    while (held[at]) at += 1 + (held[at] ?? 0);
    const isLast = at < held.length;
    yield* isKept ? file.pass(isLast ? at + 1 : at) : file.drop(isLast ? at + 1 : at);
    if (isLast) return;
  }
}

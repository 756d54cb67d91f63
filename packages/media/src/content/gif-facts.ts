import { decodeLatin1, u16 } from '../formats/octets.js';
import { colourTableSize, isGif } from '../location/gif.js';
import type { UnrotatedFacts } from './unrotated-facts.js';

const HEADER_SIZE = 13;
const [IMAGE, EXTENSION] = [0x2c, 0x21];
const [CONTROL, APPLICATION] = [0xf9, 0xff];

export function gifFacts(head: Uint8Array): UnrotatedFacts | undefined {
  if (!isGif(head)) return undefined;
  return { width: u16(head, 6, 'little'), height: u16(head, 8, 'little'), animated: isAnimated(head) };
}

/**
 * Returns true for a GIF with a second image. If the head does not contain the whole file, a frame delay or a loop
 * count is enough.
 */
function isAnimated(head: Uint8Array): boolean {
  let [imageCount, hasHint] = [0, false];
  let at = HEADER_SIZE + colourTableSize(head[10]);
  while (at + 2 <= head.length && imageCount < 2) {
    const [kind, label] = head.subarray(at, at + 2);
    if (kind === IMAGE) {
      imageCount += 1;
      at = offsetAfterBlocks(head, at + 11 + colourTableSize(head[at + 9]));
    } else if (kind === EXTENSION) {
      hasHint ||= label === CONTROL && u16(head, at + 4, 'little') > 0;
      hasHint ||= label === APPLICATION && /^(NETSCAPE2|ANIMEXTS1)/.test(decodeLatin1(head, at + 3, at + 12));
      at = offsetAfterBlocks(head, at + 2);
    } else return imageCount > 1;
  }
  return imageCount > 1 || (hasHint && at + 1 > head.length);
}

export function offsetAfterBlocks(head: Uint8Array, from: number): number {
  let at = from;
  while (head[at]) at += 1 + (head[at] ?? 0);
  return at + 1;
}

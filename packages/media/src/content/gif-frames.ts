import { colourTableSize, isGif } from '../location/gif.js';
import { u16 } from '../formats/octets.js';
import { offsetAfterBlocks } from './gif-facts.js';

export interface GifFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly hasTransparency: boolean;
  /** How the frame is removed before the next one: 2 clears its area, 3 restores the earlier frame. */
  readonly disposal: number;
}

const HEADER_SIZE = 13;
const [IMAGE, EXTENSION, CONTROL] = [0x2c, 0x21, 0xf9];

/** Yields the frames of a GIF up to its end, or up to the first invalid block. */
export function* gifFrames(bytes: Uint8Array): Generator<GifFrame> {
  if (!isGif(bytes)) return;
  let control = 0;
  let at = HEADER_SIZE + colourTableSize(bytes[10]);
  while (at + 10 <= bytes.length) {
    if (bytes[at] === IMAGE) {
      yield frameAt(bytes, at, control);
      control = 0;
      at = offsetAfterBlocks(bytes, at + 11 + colourTableSize(bytes[at + 9]));
    } else if (bytes[at] === EXTENSION) {
      if (bytes[at + 1] === CONTROL) control = bytes[at + 3] ?? 0;
      at = offsetAfterBlocks(bytes, at + 2);
    } else return;
  }
}

function frameAt(bytes: Uint8Array, at: number, control: number): GifFrame {
  const [left = 0, top = 0, width = 0, height = 0] = [1, 3, 5, 7].map((offset) => u16(bytes, at + offset, 'little'));
  return { left, top, width, height, hasTransparency: (control & 1) === 1, disposal: (control >> 2) & 7 };
}

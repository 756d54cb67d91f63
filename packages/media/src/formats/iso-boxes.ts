import { decodeLatin1, u32, u64 } from './octets.js';

/** A box of the ISO base media file format, which MP4 and AVIF use. */
export interface IsoBox {
  readonly type: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Yields consecutive boxes up to the first broken box. The last box may end beyond these bytes. */
export function* isoBoxes(bytes: Uint8Array, from: number, to: number): Generator<IsoBox> {
  for (let at = from; at + 8 <= Math.min(to, bytes.length);) {
    const shortSize = u32(bytes, at);
    const headSize = shortSize === 1 ? 16 : 8;
    const size = shortSize === 1 ? u64(bytes, at + 8) : shortSize === 0 ? to - at : shortSize;
    if (size < headSize || at + size > to) return;
    yield { type: decodeLatin1(bytes, at + 4, at + 8), at, from: at + headSize, to: at + size };
    at += size;
  }
}

export function findIsoBox(bytes: Uint8Array, from: number, to: number, type: string): IsoBox | undefined {
  for (const box of isoBoxes(bytes, from, to)) if (box.type === type) return box;
  return undefined;
}

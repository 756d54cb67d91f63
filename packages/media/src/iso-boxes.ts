import { latin1, u32, u64 } from './octets.js';

/** A box of MP4, AVIF and related formats. */
export interface IsoBox {
  readonly type: string;
  readonly at: number;
  /** Offset of its content. */
  readonly from: number;
  readonly to: number;
}

/** Yields consecutive boxes up to the first broken one; the last may reach beyond these bytes. */
export function* isoBoxes(bytes: Uint8Array, from: number, to: number): Generator<IsoBox> {
  for (let at = from; at + 8 <= Math.min(to, bytes.length);) {
    const small = u32(bytes, at);
    const headSize = small === 1 ? 16 : 8;
    const size = small === 1 ? u64(bytes, at + 8) : small === 0 ? to - at : small;
    if (size < headSize || at + size > to) return;
    yield { type: latin1(bytes, at + 4, at + 8), at, from: at + headSize, to: at + size };
    at += size;
  }
}

export function isoBox(bytes: Uint8Array, from: number, to: number, type: string): IsoBox | undefined {
  for (const box of isoBoxes(bytes, from, to)) if (box.type === type) return box;
  return undefined;
}

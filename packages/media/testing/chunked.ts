import fc from 'fast-check';
import { joined } from '../src/octets.js';

/** Bytes as a stream, in one piece. */
export async function* streamed(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Bytes as a stream, in pieces of these sizes, over and over; one of them at least is more than 0. */
export async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Sizes of pieces, empty ones among them. */
export const pieceSizes = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 8 })
  .filter((sizes) => sizes.some((size) => size > 0));

export async function collected(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return joined(chunks);
}

/** Byte order of an integer. The default is `big`. Bytes beyond the end are read as 0. */
export type ByteOrder = 'big' | 'little';

export function u16(bytes: Uint8Array, at: number, order: ByteOrder = 'big'): number {
  const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  return order === 'big' ? first * 0x100 + second : second * 0x100 + first;
}

export function u24(bytes: Uint8Array, at: number, order: ByteOrder = 'big'): number {
  const [first, second, third] = [bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
  return order === 'big' ? first * 0x1_0000 + second * 0x100 + third : third * 0x1_0000 + second * 0x100 + first;
}

export function u32(bytes: Uint8Array, at: number, order: ByteOrder = 'big'): number {
  const [first, second] = [u16(bytes, at, order), u16(bytes, at + 2, order)];
  return order === 'big' ? first * 0x1_0000 + second : second * 0x1_0000 + first;
}

/** The result is exact up to 2^53. */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) * 0x1_0000_0000 + u32(bytes, at + 4);
}

export function setU16(bytes: Uint8Array, at: number, value: number, order: ByteOrder = 'big'): void {
  const [high, low] = [(value >>> 8) & 0xff, value & 0xff];
  bytes.set(order === 'big' ? [high, low] : [low, high], at);
}

export function setU32(bytes: Uint8Array, at: number, value: number, order: ByteOrder = 'big'): void {
  const [high, low] = [(value >>> 16) & 0xffff, value & 0xffff];
  setU16(bytes, at, order === 'big' ? high : low, order);
  setU16(bytes, at + 2, order === 'big' ? low : high, order);
}

export function decodeLatin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let text = '';
  for (let at = from; at < Math.min(to, bytes.length); at += 8_192) {
    // Uses `apply`, because a spread takes several times as long.
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, Math.min(at + 8_192, to)));
  }
  return text;
}

export function encodeLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export function matchesAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}

import { decodeLatin1 } from '../formats/octets.js';
import { crc32 } from '../location/crc.js';

export const LOCATION = 'PLACE:44.8125N,20.4612E';
/** EXIF rationals of 44°48'45". */
const NORTH = [44, 1, 48, 1, 45, 1];
const EAST = [20, 1, 27, 1, 40, 1];

export type Part = string | number | readonly number[] | Uint8Array;

export function bytes(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => {
      if (typeof part === 'number') return [part];
      return typeof part === 'string' ? Array.from(part, (character) => character.charCodeAt(0)) : [...part];
    }),
  );
}

export const u16be = (value: number): number[] => [(value >>> 8) & 255, value & 255];
export const u32be = (value: number): number[] => [...u16be(value >>> 16), ...u16be(value & 0xffff)];
export const u16le = (value: number): number[] => u16be(value).reverse();
export const u32le = (value: number): number[] => u32be(value).reverse();
export const u24le = (value: number): number[] => u32le(value).slice(0, 3);
export const decodeText = (content: Uint8Array): string => decodeLatin1(content);

/** `[tag, type, values]`: a string for type 2, pairs of numbers for type 5, numbers for all other types. */
export type Tag = readonly [number, number, readonly number[] | string];

/** The value of a type 13 tag is the index of a directory. */
export function tiff(order: 'II' | 'MM', directories: readonly (readonly Tag[])[], chainedDirectories = 1): Uint8Array {
  const [writeU16, writeU32] = order === 'II' ? [u16le, u32le] : [u16be, u32be];
  const sizes = directories.map((tags) => 6 + 12 * tags.length);
  const starts = sizes.map((_, index) => 8 + sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  let dataAt = 8 + sizes.reduce((sum, size) => sum + size, 0);
  const [heads, data]: [Part[], Part[]] = [[], []];
  for (const [number, tags] of directories.entries()) {
    heads.push(writeU16(tags.length));
    for (const [tag, type, values] of tags) {
      const value =
        typeof values === 'string'
          ? bytes(values, 0)
          : bytes(
              ...values.map((item) =>
                type === 3
                  ? writeU16(item)
                  : type === 13
                    ? writeU32(starts[item]!)
                    : type === 1 || type === 7
                      ? [item]
                      : writeU32(item),
              ),
            );
      const count = typeof values === 'string' ? value.length : type === 5 ? values.length / 2 : values.length;
      heads.push(writeU16(tag), writeU16(type === 13 ? 4 : type), writeU32(count));
      if (value.length <= 4)
        heads.push(
          value,
          Array.from({ length: 4 - value.length }, () => 0),
        );
      else {
        heads.push(writeU32(dataAt));
        data.push(value);
        dataAt += value.length;
      }
    }
    heads.push(writeU32(number + 1 < chainedDirectories ? starts[number + 1]! : 0));
  }
  return bytes(order, writeU16(42), writeU32(8), ...heads, ...data);
}

export function exif(orientation = 6, order: 'II' | 'MM' = 'II'): Uint8Array {
  return tiff(order, [
    [
      [0x10e, 2, LOCATION],
      [0x112, 3, [orientation]],
      [0x8825, 13, [1]],
    ],
    [
      [1, 2, 'N'],
      [2, 5, NORTH],
      [3, 2, 'E'],
      [4, 5, EAST],
    ],
  ]);
}

export function hasLocation(content: Uint8Array): boolean {
  const decoded = decodeText(content);
  return [
    LOCATION,
    LOCATION.slice(0, 8),
    ...[u32le, u32be].map((write) => decodeText(bytes(...NORTH.map(write)))),
  ].some((location) => decoded.includes(location));
}

export const XMP = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><exif:GPSLatitude>${LOCATION}</exif:GPSLatitude></x:xmpmeta>`;

export const jpegSegment = (marker: number, ...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  return bytes(0xff, marker, u16be(body.length + 2), body);
};

export const pngChunk = (type: string, ...parts: readonly Part[]): Uint8Array => {
  const typeAndBody = bytes(type, ...parts);
  return bytes(u32be(typeAndBody.length - 4), typeAndBody, u32be(crc32(typeAndBody)));
};

export const riffChunk = (id: string, ...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  return bytes(id, u32le(body.length), body, body.length % 2 ? [0] : []);
};

export const riff = (form: string, ...chunks: readonly Part[]): Uint8Array => riffChunk('RIFF', form, ...chunks);

export const box = (type: string, ...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  return bytes(u32be(body.length + 8), type, body);
};

export const fullBox = (type: string, version: number, ...parts: readonly Part[]): Uint8Array =>
  box(type, version, 0, 0, 0, ...parts);

export const gifBlocks = (...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  const blocks = Array.from({ length: Math.ceil(body.length / 255) }, (_, index) => {
    const block = body.subarray(255 * index, 255 * index + 255);
    return bytes(block.length, block);
  });
  return bytes(...blocks, 0);
};

export const element = (id: readonly number[], ...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  const size = body.length < 127 ? [0x80 | body.length] : [0x40 | (body.length >> 8), body.length & 255];
  return bytes(id, size, body);
};

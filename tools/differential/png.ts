import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB_8_BIT = [8, 2, 0, 0, 0];

export function makePng(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(RGB_8_BIT, 8);
  const row = (y: number) => [
    0,
    ...Array.from({ length: width }, (_, x) => [(x * 7) % 256, (y * 5) % 256, 128]).flat(),
  ];
  const pixels = Buffer.from(Array.from({ length: height }, (_, y) => row(y)).flat());
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, bytes: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(name), bytes]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(bytes.length, 0);
  frame.writeUInt32BE(crc32(typedData), 4);
  return Buffer.concat([frame.subarray(0, 4), typedData, frame.subarray(4)]);
}

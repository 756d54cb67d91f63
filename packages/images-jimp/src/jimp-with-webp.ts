import { createJimp } from '@jimp/core';
import decode, { init as initDecoder } from '@jsquash/webp/decode.js';
import encode, { init as initEncoder } from '@jsquash/webp/encode.js';
import { defaultFormats, defaultPlugins } from 'jimp';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The members of a Jimp image that the worker uses; jimp's own types are too complex. */
export interface JimpImage {
  readonly width: number;
  readonly height: number;
  clone(): JimpImage;
  resize(size: { readonly w: number; readonly h: number }): JimpImage;
  getBuffer(mime: string, options: object): Promise<Buffer>;
}

interface Bitmap {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

const DEFAULT_QUALITY = 80;

/** Compiles the files of the package here, because jimp's WebP plugin fetches them and Node 20 cannot fetch files. */
async function compileWasm(path: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(fileURLToPath(import.meta.resolve(path))));
}

let encoder: Promise<unknown> | undefined;
let decoder: Promise<unknown> | undefined;

function makeWebpFormat() {
  return {
    mime: 'image/webp' as const,
    hasAlpha: true as const,
    async encode(
      { data, width, height }: Bitmap,
      { quality = DEFAULT_QUALITY }: { quality?: number } = {},
    ): Promise<Buffer> {
      encoder ??= compileWasm('@jsquash/webp/codec/enc/webp_enc_simd.wasm').then((module) => initEncoder(module));
      await encoder;
      const pixels = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
      return Buffer.from(await encode({ data: pixels, width, height, colorSpace: 'srgb' }, { quality }));
    },
    async decode(bytes: Buffer): Promise<Bitmap> {
      decoder ??= compileWasm('@jsquash/webp/codec/dec/webp_dec.wasm').then((module) => initDecoder(module));
      await decoder;
      const { data, width, height } = await decode(Uint8Array.from(bytes).buffer);
      return { data: Buffer.from(data), width, height };
    },
  };
}

export const JimpWithWebp = createJimp({ formats: [...defaultFormats, makeWebpFormat], plugins: defaultPlugins });

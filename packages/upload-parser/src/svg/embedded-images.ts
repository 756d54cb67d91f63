import { fileType, TYPE_HEAD_BYTES, UnreadableFile, stripLocation } from '@back-office/media';

export interface EmbeddedImage {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

const DATA_URL = /^\s*data:image\/(?:png|jpe?g|gif|webp)\s*(?:;\s*charset=[\w-]+\s*)?;\s*base64\s*,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function parseDataUrl(url: string): EmbeddedImage | undefined {
  const [prefix] = DATA_URL.exec(url) ?? [];
  if (prefix === undefined) return undefined;
  const base64 = url.slice(prefix.length).replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const mime = fileType(bytes.subarray(0, TYPE_HEAD_BYTES), '');
  return mime !== undefined && TYPES.has(mime) ? { mime, bytes } : undefined;
}

export async function toDataUrl({ mime, bytes }: EmbeddedImage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stripLocation(mime, yieldBytes(bytes))) chunks.push(chunk);
  const stripped = Buffer.concat(chunks);
  if (stripped.length === 0) throw new UnreadableFile('An empty image');
  return `data:${mime};base64,${stripped.toString('base64')}`;
}

async function* yieldBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

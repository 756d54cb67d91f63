import { fileType, TYPE_HEAD, UnreadableFile, withoutPlace } from '@back-office/media';

/** A picture within a drawing. */
export interface Picture {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

const ADDRESS = /^\s*data:image\/(?:png|jpe?g|gif|webp)\s*(?:;\s*charset=[\w-]+\s*)?;\s*base64\s*,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The picture in an address, by its content; `undefined` when it is another kind of address, or another kind of file. */
export function pictureIn(address: string): Picture | undefined {
  const [beginning] = ADDRESS.exec(address) ?? [];
  if (beginning === undefined) return undefined;
  const encoded = address.slice(beginning.length).replaceAll(/\s/g, '');
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const mime = fileType(bytes.subarray(0, TYPE_HEAD), '');
  return mime !== undefined && TYPES.has(mime) ? { mime, bytes } : undefined;
}

/** Its address again, without where it was taken. */
export async function addressOf({ mime, bytes }: Picture): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of withoutPlace(mime, only(bytes))) chunks.push(chunk);
  const left = Buffer.concat(chunks);
  if (left.length === 0) throw new UnreadableFile('A picture of nothing');
  return `data:${mime};base64,${left.toString('base64')}`;
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

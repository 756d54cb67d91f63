import { UnreadableFile } from '@back-office/media';
import { TextDecoder } from 'node:util';

/** A larger drawing would take too long to sanitize. */
export const MAX_DRAWING_BYTES = 10 * 2 ** 20;
const MAX_DECLARATION_BYTES = 256;
const ENCODING_DECLARATION = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;
const BYTE_ORDER_MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/** Decodes a drawing by its byte order mark, otherwise by its XML declaration, otherwise as UTF-8. */
export async function* decodeCharacters(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let head: Uint8Array = new Uint8Array();
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_DRAWING_BYTES) throw new UnreadableFile('Too many bytes in a drawing');
    head = decoder || head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (decoder === undefined && head.length < MAX_DECLARATION_BYTES) continue;
    decoder ??= decoderFor(head);
    yield decodeChunk(decoder, head, true);
  }
  yield decoder ? decodeChunk(decoder, new Uint8Array(), false) : decodeChunk(decoderFor(head), head, false);
}

/** Throws {@link UnreadableFile} for an unknown encoding. */
export function decoderFor(head: Uint8Array): TextDecoder {
  const start = Buffer.from(head.subarray(0, MAX_DECLARATION_BYTES)).toString('latin1');
  const byteOrderMark = BYTE_ORDER_MARKS.find(([mark]) => start.startsWith(mark));
  const declaredEncoding = ENCODING_DECLARATION.exec(start)?.[1]?.toLowerCase() ?? 'utf-8';
  // The declaration was read as single bytes, so the text cannot be UTF-16.
  const encoding = byteOrderMark?.[1] ?? (declaredEncoding.startsWith('utf-16') ? 'utf-8' : declaredEncoding);
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw new UnreadableFile('Unknown encoding', { cause: error });
  }
}

function decodeChunk(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new UnreadableFile('Invalid characters in a drawing', { cause: error });
  }
}

import { UnreadableFile } from '@back-office/media';
import { TextDecoder } from 'node:util';

/** A drawing of more bytes takes longer to be read than anybody waits for it. */
export const LARGEST_DRAWING = 10 * 2 ** 20;
const DECLARATION_SIZE = 256;
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;
const BEGINNINGS: readonly (readonly [beginning: string, encoding: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
];

/** The characters of a drawing, by its byte order mark, else by its XML declaration, else as UTF-8. */
export async function* charactersOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let head: Uint8Array = new Uint8Array();
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > LARGEST_DRAWING) throw new UnreadableFile('A drawing of too many bytes');
    head = decoder || head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (decoder === undefined && head.length < DECLARATION_SIZE) continue;
    decoder ??= decoderFor(head);
    yield decoded(decoder, head, true);
  }
  yield decoder ? decoded(decoder, new Uint8Array(), false) : decoded(decoderFor(head), head, false);
}

/** Throws {@link UnreadableFile} when the drawing is in an encoding that nobody knows. */
export function decoderFor(head: Uint8Array): TextDecoder {
  const beginning = Buffer.from(head.subarray(0, DECLARATION_SIZE)).toString('latin1');
  const marked = BEGINNINGS.find(([mark]) => beginning.startsWith(mark));
  const declared = DECLARED.exec(beginning)?.[1]?.toLowerCase() ?? 'utf-8';
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says.
  const encoding = marked?.[1] ?? (declared.startsWith('utf-16') ? 'utf-8' : declared);
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw new UnreadableFile('An encoding that is not known', { cause: error });
  }
}

function decoded(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new UnreadableFile('Characters that are none in their encoding', { cause: error });
  }
}

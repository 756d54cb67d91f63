import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeCharacters } from './decode.js';
import { toDataUrl } from './embedded-images.js';
import { DrawingWriter } from './drawing-writer.js';

const BLOCK_LENGTH = 65_536;

/**
 * Sanitizes an SVG by allow-lists of elements, attributes and styles, and silently drops everything else. The output is
 * UTF-8, runs no scripts, loads nothing and contains no metadata; its embedded images have no location. Reads at most
 * 10 MB of the source, and buffers the longest text or attribute. Throws `UnreadableFile` for a file that is not
 * well-formed SVG, has declarations in its doctype, or exceeds the limits on depth, elements and references. It may
 * throw while streaming; the output must then not be used.
 */
export async function* sanitizeSvg(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = '';
  for await (const piece of sanitizePieces(bytes)) {
    block += piece;
    if (block.length < BLOCK_LENGTH) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

async function* sanitizePieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const writer = new DrawingWriter();
  for await (const characters of decodeCharacters(bytes)) {
    for (let at = 0; at < characters.length; at += BLOCK_LENGTH) {
      writer.push(characters.slice(at, at + BLOCK_LENGTH));
      yield* takeOutput(writer);
      // Lets other work run, because a large drawing takes seconds.
      await nextTurn();
    }
  }
  writer.end();
  yield* takeOutput(writer);
}

async function* takeOutput(writer: DrawingWriter): AsyncGenerator<string> {
  for (const piece of writer.takeOutput()) yield typeof piece === 'string' ? piece : await toDataUrl(piece);
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { charactersOf } from './characters.js';
import { addressOf } from './pictures.js';
import { SvgCleaner } from './svg-cleaner.js';

const BLOCK = 65_536;

/**
 * A drawing with nothing in it but what is known to be harmless and to be drawn: elements, attributes and styles of SVG
 * that reach for nothing outside of it, and pictures in it without where they were taken. It runs nothing, loads nothing
 * and tells nothing of its maker; what is left out is left out silently. Written in UTF-8.
 *
 * The source is read to its end, at most 10 MB. While it is read it throws `UnreadableFile` when it is no drawing, is not
 * well-formed, has a document type with declarations, or is deeper, of more elements, or multiplies its parts more than
 * a viewer should be asked to draw: what came out before is not to be used. Held are the longest text or attribute of it,
 * a few times over.
 */
export async function* harmlessSvg(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = '';
  for await (const piece of piecesOf(bytes)) {
    block += piece;
    if (block.length < BLOCK) continue;
    yield Buffer.from(block);
    block = '';
  }
  yield Buffer.from(block);
}

async function* piecesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const cleaner = new SvgCleaner();
  for await (const characters of charactersOf(bytes)) {
    for (let at = 0; at < characters.length; at += BLOCK) {
      cleaner.give(characters.slice(at, at + BLOCK));
      yield* written(cleaner);
      // A large drawing is the work of seconds.
      await nextTurn();
    }
  }
  cleaner.end();
  yield* written(cleaner);
}

async function* written(cleaner: SvgCleaner): AsyncGenerator<string> {
  for (const piece of cleaner.taken()) yield typeof piece === 'string' ? piece : await addressOf(piece);
}

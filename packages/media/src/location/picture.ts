import { matchesAt } from '../formats/octets.js';
import { stripJpeg } from './jpeg.js';
import type { FileStream, Coroutine } from './file-stream.js';
import { stripPng } from './png.js';
import { UnreadableFile } from './unreadable-file.js';

export function* stripPicture(file: FileStream): Coroutine {
  const head = yield* file.lookAhead(4);
  if (matchesAt(head, 0, '\x89PNG')) yield* stripPng(file);
  else if (matchesAt(head, 0, '\xff\xd8')) yield* stripJpeg(file);
  else throw new UnreadableFile('Unknown picture type');
}

import { reads } from '../octets.js';
import { jpeg } from './jpeg.js';
import type { Passage, Work } from './passage.js';
import { png } from './png.js';
import { UnreadableFile } from './unreadable-file.js';

/** The cover of a song. */
export function* picture(file: Passage): Work {
  const head = yield* file.ahead(4);
  if (reads(head, 0, '\x89PNG')) yield* png(file);
  else if (reads(head, 0, '\xff\xd8')) yield* jpeg(file);
  else throw new UnreadableFile('A picture of another kind');
}

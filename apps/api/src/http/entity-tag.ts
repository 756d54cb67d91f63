import { createHash } from 'node:crypto';
import { setImmediate as nextPass } from 'node:timers/promises';
import type { Answer } from './answer.js';

/** Changes each second although the record does not. */
const COUNTDOWN = /"expires_in_seconds":\d{1,12}/g;
const SLICE_LENGTH = 256 * 1024;

/** Adds the `ETag` of an answer whose body is complete. */
export async function withEntityTag(answer: Answer): Promise<Answer> {
  const text = typeof answer.text === 'string' ? answer.text : JSON.stringify(answer.body);
  return { ...answer, text, headers: { ...answer.headers, ETag: await entityTagOf(text) } };
}

/** Hashes a long text in slices, so that other calls go on. */
async function entityTagOf(text: string): Promise<string> {
  const stableText = text.replaceAll(COUNTDOWN, '');
  const hash = createHash('sha1');
  for (let start = 0; start < stableText.length; start += SLICE_LENGTH) {
    if (start > 0) await nextPass();
    // This encoding keeps the halves of a character that a slice divides.
    hash.update(stableText.slice(start, start + SLICE_LENGTH), 'utf16le');
  }
  return `"${hash.digest('base64url')}"`;
}

/** Returns whether a list of tags, as in `If-Match` and `If-None-Match`, has the tag. `*` has every tag. */
export function listsTag(header: string, tag: string | undefined): boolean {
  const tags = header.split(',').map((part) => part.trim().replace(/^W\//, ''));
  return tag !== undefined && (tags.includes(tag) || header.trim() === '*');
}

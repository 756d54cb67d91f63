import { createHash, hash } from 'node:crypto';
import { setImmediate as nextPass } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { sliceEnd } from './slice-end.js';

/** This field changes every second, but the tag must change only with the record. */
const COUNTDOWN = /"expires_in_seconds":\d{1,12}/g;
const SLICE_LENGTH = 256 * 1024;

/** Adds the header `ETag`, a hash of the body without its countdown. */
export async function withEntityTag(answer: Answer): Promise<Answer> {
  const text = typeof answer.text === 'string' ? answer.text : JSON.stringify(answer.body);
  return { ...answer, text, headers: { ...answer.headers, ETag: `"${await hashOf(text)}"` } };
}

/** Hashes a long text in slices, so that other calls are not delayed. */
async function hashOf(text: string): Promise<string> {
  const stableText = text.replaceAll(COUNTDOWN, '');
  if (stableText.length <= SLICE_LENGTH) return hash('sha1', stableText, 'base64url');
  const slices = createHash('sha1');
  for (let start = 0; start < stableText.length;) {
    if (start > 0) await nextPass();
    const end = sliceEnd(stableText, start + SLICE_LENGTH);
    slices.update(stableText.slice(start, end));
    start = end;
  }
  return slices.digest('base64url');
}

/** Returns whether the list of tags in `If-Match` or `If-None-Match` contains the tag. `*` matches every tag. */
export function listsTag(header: string, tag: string | undefined): boolean {
  const tags = header.split(',').map((part) => part.trim().replace(/^W\//, ''));
  return tag !== undefined && (tags.includes(tag) || header.trim() === '*');
}

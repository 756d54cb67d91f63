import { isStorable } from '@back-office/kernel';
import { utf8ByteLength } from '../folders/folders.js';
import { keyOfUrl, ownerKey } from '../files/keys.js';

/** Longer than the key of any file, and short enough for an index entry. */
const MAX_KEY_BYTES = 2_048;

/**
 * Returns the key of the file that a URL refers to, even if the file does not exist. For a URL of a rendition, version
 * or page, returns the key of its file. Returns `undefined` for a URL outside `<base>/<prefix>/`.
 */
export function fileKeyOfUrl(url: string, base: string, prefix: string): string | undefined {
  const key = keyOfUrl(url, base);
  if (key === undefined || !key.startsWith(`${prefix}/`) || !isFileKey(key)) return undefined;
  return isStorable(key) && utf8ByteLength(key) <= MAX_KEY_BYTES ? ownerKey(key) : undefined;
}

/** Rejects a folder, and a key with dot segments, because clients resolve these before the request. */
function isFileKey(key: string): boolean {
  return !key.endsWith('/') && !key.split('/').some((segment) => segment === '.' || segment === '..');
}

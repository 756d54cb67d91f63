import { isSound } from '@back-office/kernel';
import { keyOfUrl, ownerKey } from './keys.js';

/** More than the key of any file has, and no more than fits into an entry of an index. */
const MOST_BYTES = 2_048;

/**
 * The key of the file that a stored URL uses, whether there is such a file or not: the file's own, also for the URL of
 * one of its renditions, versions or pages. Undefined for a URL that does not lie below `<base>/<prefix>/`, where the
 * app has its files: an outside one, which is not tracked.
 */
export function usedKey(url: string, base: string, prefix: string): string | undefined {
  const key = keyOfUrl(url, base);
  if (key === undefined || !key.startsWith(`${prefix}/`) || !namesAFile(key)) return undefined;
  return isSound(key) && utf8Length(key) <= MOST_BYTES ? ownerKey(key) : undefined;
}

/** A path that ends in a slash names none, and one with dots is not asked for as it stands. */
function namesAFile(key: string): boolean {
  return !key.endsWith('/') && !key.split('/').some((segment) => segment === '.' || segment === '..');
}

function utf8Length(text: string): number {
  return encodeURIComponent(text).replaceAll(/%../g, '_').length;
}

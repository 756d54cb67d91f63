import { isSound, refuse, type Refusal } from '@back-office/kernel';

const LONGEST_SEGMENT = 255;
/** Of a folder's full path, in UTF-8. */
export const MAX_PATH_BYTES = 1_024;

/** A folder by its full path, `products/shoes`; the empty one is the top level. Made by {@link folderPath} alone. */
export type FolderPath = string & { readonly __folder: true };

export const TOP_LEVEL = '' as FolderPath;

/**
 * Reads a folder's path as a client sends it; slashes around it do not count. Refused under `field`: a segment that is
 * empty, `.` or `..`, that holds a backslash or a control character, or is longer than 255 bytes; a path above 1,024.
 */
export function folderPath(text: string, field: string): FolderPath | Refusal {
  const path = text.normalize('NFC').replace(/^\/+/, '').replace(/\/+$/, '');
  if (path === '') return TOP_LEVEL;
  const isUsable = bytesOf(path) <= MAX_PATH_BYTES && path.split('/').every(isSegment);
  return isUsable ? (path as FolderPath) : refuse('is invalid', field);
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..' || segment.trim() === '') return false;
  // eslint-disable-next-line no-control-regex
  return isSound(segment) && !/[\\\u0000-\u001f\u007f]/.test(segment) && bytesOf(segment) <= LONGEST_SEGMENT;
}

/** Length in UTF-8. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}

export function parentOf(path: FolderPath): FolderPath {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) as FolderPath;
}

export function lastSegment(path: FolderPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folders on the way to a path, the outermost first, the path itself last. */
export function ancestry(path: FolderPath): FolderPath[] {
  if (path === TOP_LEVEL) return [];
  return [...ancestry(parentOf(path)), path];
}

/** Whether a folder is another one or lies below it. */
export function isWithin(path: FolderPath, other: FolderPath): boolean {
  return other === TOP_LEVEL || path === other || path.startsWith(`${other}/`);
}

export function below(parent: FolderPath, segment: string): FolderPath {
  return (parent === TOP_LEVEL ? segment : `${parent}/${segment}`) as FolderPath;
}

/** Where a path lies after the folder `from` has become `to`. */
export function moved(path: FolderPath, from: FolderPath, to: FolderPath): FolderPath {
  return isWithin(path, from) ? ((to + path.slice(from.length)) as FolderPath) : path;
}

import { isStorable, refuse, trimCharacter, type Refusal } from '@back-office/kernel';

const MAX_SEGMENT_BYTES = 255;
export const MAX_FOLDER_PATH_BYTES = 1_024;

/**
 * Full path of a folder, such as `products/shoes`; empty for the top level. {@link parseFolderPath} validates the path.
 */
export type FolderPath = string & { readonly __folder: true };

export const TOP_LEVEL = '' as FolderPath;

/**
 * Parses a client's folder path; ignores surrounding slashes. Refuses a blank or dot segment, a backslash or control
 * character, a segment above 255 bytes, and a path above 1,024 bytes. `field` is the field of the refusal.
 */
export function parseFolderPath(text: string, field: string): FolderPath | Refusal {
  const path = trimCharacter(text, '/').normalize('NFC');
  if (path === '') return TOP_LEVEL;
  const isValid = utf8ByteLength(path) <= MAX_FOLDER_PATH_BYTES && path.split('/').every(isSegment);
  return isValid ? (path as FolderPath) : refuse('is invalid', field);
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..' || segment.trim() === '') return false;
  // eslint-disable-next-line no-control-regex
  const hasForbiddenCharacter = /[\\\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(segment);
  return isStorable(segment) && !hasForbiddenCharacter && utf8ByteLength(segment) <= MAX_SEGMENT_BYTES;
}

export function utf8ByteLength(text: string): number {
  let count = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return count;
}

export function parentOf(path: FolderPath): FolderPath {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) as FolderPath;
}

export function lastSegment(path: FolderPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the path and its ancestors, outermost first. */
export function ancestry(path: FolderPath): FolderPath[] {
  if (path === TOP_LEVEL) return [];
  return [...ancestry(parentOf(path)), path];
}

/** Returns true for `folder` itself and its descendants. */
export function isWithin(path: FolderPath, folder: FolderPath): boolean {
  return folder === TOP_LEVEL || path === folder || path.startsWith(`${folder}/`);
}

export function joinFolder(parent: FolderPath, segment: string): FolderPath {
  return (parent === TOP_LEVEL ? segment : `${parent}/${segment}`) as FolderPath;
}

export function rebaseFolder(path: FolderPath, from: FolderPath, to: FolderPath): FolderPath {
  return isWithin(path, from) ? ((to + path.slice(from.length)) as FolderPath) : path;
}

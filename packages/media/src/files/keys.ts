import { trimEndCharacters } from '@back-office/kernel';
import { ancestry, lastSegment, type FolderPath } from '../folders/folders.js';

const MAX_NAME_LENGTH = 200;
const MAX_EXTENSION_LENGTH = 32;
/** Leaves room for the name and its suffixes: stores accept keys of at most 1,024 bytes. */
const MAX_FOLDERS_LENGTH = 700;

/** Transliterates text to ASCII. Passed as a parameter, because this package has no transliteration tables. */
export type Transliterate = (text: string) => string;

/**
 * Makes a name safe for URLs: keeps lower-case ASCII letters, digits, `.`, `_` and `-`, and replaces other characters
 * by a hyphen. The result is never empty. It has no leading dot, and no `@`, because `@` marks renditions.
 */
export function toUrlSafe(name: string, ascii: Transliterate): string {
  const safeName = ascii(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/[.-]+/g, (separators) => (separators.includes('.') ? '.' : separators))
    .replace(/^[.-]+/, '');
  const [stem, extension] = splitExtension(trimEndCharacters(safeName, '.-'));
  // An extension that is too long is treated as part of the name.
  if (extension.length > MAX_EXTENSION_LENGTH) return truncateName(stem + extension, MAX_NAME_LENGTH);
  return truncateName(stem, MAX_NAME_LENGTH - extension.length) + extension;
}

function truncateName(text: string, length: number): string {
  return trimEndCharacters(text.slice(0, length), '.-') || 'file';
}

/**
 * Returns the permanent key of a file: `<prefix>/<folder>/<name>` in URL-safe segments. A path that is too long loses
 * its innermost folders.
 */
export function fileKey(prefix: string, folder: FolderPath, name: string, ascii: Transliterate): string {
  const segments = ancestry(folder).map((ancestor) => toUrlSafe(lastSegment(ancestor), ascii));
  return [prefix, ...limitSegments(segments, MAX_FOLDERS_LENGTH), toUrlSafe(name, ascii)].join('/');
}

function limitSegments(segments: readonly string[], maxLength: number): readonly string[] {
  let length = 0;
  return segments.filter((segment) => (length += segment.length + 1) <= maxLength);
}

/** Returns the key itself for attempt 1, then the key with `-2`, `-3` … inserted before its extension. */
export function keyCandidate(key: string, attempt: number): string {
  const [stem, extension] = splitExtension(key);
  return attempt <= 1 ? key : `${stem}-${attempt}${extension}`;
}

/** Returns `<key without its extension>@<width>.<extension of the key>`. */
export function renditionKey(key: string, width: number): string {
  const [stem, extension] = splitExtension(key);
  return `${stem}@${width}${extension}`;
}

/** The key contains a random hex `secret`, so that nobody can guess it. Versions of earlier releases have no secret. */
export function versionKey(key: string, version: number, secret: string): string {
  const [stem, extension] = splitExtension(key);
  return `${stem}@v${version}-${secret}${extension}`;
}

export function pageKey(key: string, page: number, extension: string): string {
  return `${key}@p${page}.${extension}`;
}

/** The `id` must be unique. No public key starts with `_blobs/`. */
export function blobKey(prefix: string, id: string): string {
  return `_blobs/${prefix}/${id}`;
}

/** Returns the key of the file to which a rendition, version or page belongs. Returns the key of a file unchanged. */
export function ownerKey(key: string): string {
  return key.replace(/@p\d+\.[^./@]*$/, '').replace(/@(?:\d+|v\d+(?:-[\da-f]+)?)(\.[^./@]*)?$/, '$1');
}

/** The extension includes its dot. A name like `.env` has no extension. */
export function splitExtension(name: string): [stem: string, extension: string] {
  const [, stem = name, extension = ''] = /^(.*[^/])(\.[^./]*)$/.exec(name) ?? [];
  return [stem, extension];
}

/**
 * Returns the key of a URL below the library's base, without query and fragment. Returns `undefined` for an invalid
 * URL, and for a URL outside this base.
 */
export function keyOfUrl(url: string, base: string): string | undefined {
  if (!url.startsWith(`${base}/`)) return undefined;
  const [path = ''] = url.slice(base.length + 1).split(/[?#]/);
  try {
    const key = decodeURIComponent(path);
    return key === '' ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Adds the version if it is 2 or higher, so that caches fetch the new content. */
export function publicUrl(base: string, key: string, version: number): string {
  return `${base}/${key}${version > 1 ? `?v=${version}` : ''}`;
}

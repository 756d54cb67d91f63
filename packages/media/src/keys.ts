import { ancestry, lastSegment, type FolderPath } from './folders.js';

const LONGEST_NAME = 200;
const LONGEST_EXTENSION = 32;
/** Of the folders in a key: with its name and what is put behind it, a key stays below the 1,024 bytes that stores take. */
const LONGEST_FOLDERS = 700;

/** A text in ASCII, other scripts transliterated; lent by the installation, since tables of scripts are no domain rule. */
export type Ascii = (text: string) => string;

/**
 * A name as part of a URL: ASCII, lower case, every run of anything but letters, digits, `.`, `_` and `-` a hyphen.
 * Never empty, never beginning with a dot, never holding an `@`, which tells renditions apart.
 */
export function urlSafe(name: string, ascii: Ascii): string {
  const safe = ascii(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/[.-]*\.[.-]*/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  const [stem, extension] = parted(safe);
  // What is so long is no extension, but a name with a dot in it.
  if (extension.length > LONGEST_EXTENSION) return cut(safe, LONGEST_NAME);
  return cut(stem, LONGEST_NAME - extension.length) + extension;
}

function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[.-]+$/, '') || 'file';
}

/** `<prefix>/<folder>/<name>`, each segment made URL-safe, the innermost left out when they get too long: what a file is stored and served under for all its life. */
export function fileKey(prefix: string, folder: FolderPath, name: string, ascii: Ascii): string {
  const segments = ancestry(folder).map((each) => urlSafe(lastSegment(each), ascii));
  return [prefix, ...outermost(segments, LONGEST_FOLDERS), urlSafe(name, ascii)].join('/');
}

function outermost(segments: readonly string[], longest: number): readonly string[] {
  let length = 0;
  return segments.filter((segment) => (length += segment.length + 1) <= longest);
}

/** The key as it is wished for, then with `-2`, `-3` … before its extension. */
export function keyCandidate(key: string, attempt: number): string {
  const [stem, extension] = parted(key);
  return attempt <= 1 ? key : `${stem}-${attempt}${extension}`;
}

/** `<key without its extension>@<width>.<extension of the key>`. */
export function renditionKey(key: string, width: number): string {
  const [stem, extension] = parted(key);
  return `${stem}@${width}${extension}`;
}

/** Where the public content of an earlier version is found. */
export function versionKey(key: string, version: number): string {
  const [stem, extension] = parted(key);
  return `${stem}@v${version}${extension}`;
}

/** Where a page of a document is found as an image: `<key>@p<page>.<extension>`. */
export function pageKey(key: string, page: number, extension: string): string {
  return `${key}@p${page}.${extension}`;
}

/** Bytes that are written once, under a name that is nobody else's. No public key begins so. */
export function blobKey(prefix: string, id: string): string {
  return `_blobs/${prefix}/${id}`;
}

/** The file that a key belongs to: its own, or that of the file of which it is a rendition, a version or a page. */
export function ownerKey(key: string): string {
  return key.replace(/@p\d+\.[^./@]*$/, '').replace(/@v?\d+(\.[^./@]*)?$/, '$1');
}

/** Stem and extension, the latter with its dot. A name that is all extension has none. */
export function parted(name: string): [stem: string, extension: string] {
  const [, stem = name, extension = ''] = /^(.*[^/])(\.[^./]*)$/.exec(name) ?? [];
  return [stem, extension];
}

/**
 * The key that a stored URL points at, if it lies below the library's base; `?v=` and the like do not count. Undefined
 * for any other address, also for one that cannot be decoded.
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

/** The public address of a key; from version 2 on it ends in the version, so that caches take the new content. */
export function publicUrl(base: string, key: string, version: number): string {
  return `${base}/${key}${version > 1 ? `?v=${version}` : ''}`;
}

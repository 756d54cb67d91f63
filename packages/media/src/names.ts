import { isBlank, isStorable, characterCount, MAX_STRING_LENGTH, refuse, type Refusal } from '@back-office/kernel';
import { splitExtension } from './keys.js';

// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\\/\u0000-\u001f\u007f]/;

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/** Anything longer belongs to the stem. */
const MAX_EXTENSION_LENGTH = 32;
/** Characters of a suffix such as ` (2)`. */
const MAX_SUFFIX_LENGTH = 19;
/** Characters of a name that stay with any numbered suffix. */
export const MAX_STEM_LENGTH = MAX_STRING_LENGTH - MAX_SUFFIX_LENGTH;

/** Normalizes the display name of a file. Refused under `name`: a blank, path-like or too long name. */
export function parseFileName(text: string): string | Refusal {
  const name = text.normalize('NFC').trim();
  if (isBlank(name)) return refuse("can't be blank", 'name');
  if (name === '.' || name === '..' || FORBIDDEN.test(name) || !isStorable(name)) return refuse('is invalid', 'name');
  return characterCount(name) > MAX_STRING_LENGTH ? refuse('is too long', 'name') : name;
}

/** Turns a client's file name, which may be any text, into a valid one. */
export function sanitizeFileName(text: string): string {
  const last =
    text
      .replaceAll(/\p{Surrogate}/gu, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const name = last.normalize('NFC').replaceAll(CONTROLS, ' ').trim();
  const fits = withSuffix(...stemAndExtension(name)).trim();
  return fits === '' || fits === '.' || fits === '..' ? 'file' : fits;
}

/** The name if it is free, else with ` (2)`, ` (3)` … before its extension. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const [stem, extension] = stemAndExtension(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : withSuffix(stem, ` (${number})${extension}`);
    if (!taken.has(candidate)) return candidate;
  }
}

/** Assigns names to files restored into one folder: their own, or with ` (2)`, ` (3)` … appended when taken. */
export class RestoredNames {
  private readonly next = new Map<string, number>();
  private readonly taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken);
  }

  reserve(name: string): void {
    this.taken.add(name);
  }

  assign(name: string): string {
    let assigned = name;
    // Names are never released, so the search continues after the last number of this name.
    for (let number = this.next.get(name) ?? 2; this.taken.has(assigned); number += 1) {
      assigned = withSuffix(name, ` (${number})`);
      this.next.set(name, number + 1);
    }
    this.taken.add(assigned);
    return assigned;
  }
}

/** Prefix of every other name that {@link freeName} can make of this one. */
export function freeNamePrefix(name: string): string {
  const [stem, extension] = stemAndExtension(name);
  const room = MAX_STEM_LENGTH - characterCount(extension);
  return characterCount(stem) <= room ? `${stem} (` : [...stem].slice(0, room).join('');
}

/** Prefix of every other name that {@link RestoredNames} can make of this one, without the number. */
export function restoredNamePrefix(name: string): string {
  return [...name].slice(0, MAX_STEM_LENGTH).join('');
}

function stemAndExtension(name: string): [stem: string, extension: string] {
  const [stem, extension] = splitExtension(name);
  return characterCount(extension) <= MAX_EXTENSION_LENGTH ? [stem, extension] : [name, ''];
}

/** Appends the suffix and truncates the text so that both fit. */
function withSuffix(text: string, suffix: string): string {
  const room = MAX_STRING_LENGTH - characterCount(suffix);
  return (characterCount(text) <= room ? text : [...text].slice(0, room).join('')) + suffix;
}

/** Parses a list or comma-separated text into trimmed, distinct tags in their order. */
export function parseTags(value: readonly string[] | string): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value;
  return [...new Set(parts.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

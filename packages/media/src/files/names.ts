import { isBlank, isStorable, characterCount, MAX_STRING_LENGTH, refuse, type Refusal } from '@back-office/kernel';
import { splitExtension } from './keys.js';

// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\\/\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** Refuses characters that reverse the direction of text, because they could make a name look like another name. */
export const NAME_WITHOUT_BIDI_CONTROLS = /^[^\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/;

const MAX_EXTENSION_LENGTH = 32;
const MAX_SUFFIX_LENGTH = 19;
/** A numbered suffix may replace the end of a long name, but this many first characters always stay. */
export const MAX_STEM_LENGTH = MAX_STRING_LENGTH - MAX_SUFFIX_LENGTH;

/** Normalizes the display name of a file. Refuses a blank, path-like or too long name, with the field `name`. */
export function parseFileName(text: string): string | Refusal {
  const name = text.normalize('NFC').trim();
  if (isBlank(name)) return refuse("can't be blank", 'name');
  if (name === '.' || name === '..' || FORBIDDEN.test(name) || !isStorable(name)) return refuse('is invalid', 'name');
  return characterCount(name) > MAX_STRING_LENGTH ? refuse('is too long', 'name') : name;
}

export function sanitizeFileName(text: string): string {
  const lastSegment =
    text
      .replaceAll(/\p{Surrogate}/gu, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const name = lastSegment.normalize('NFC').replaceAll(CONTROLS, ' ').trim();
  const sanitizedName = withSuffix(...stemAndExtension(name)).trim();
  return sanitizedName === '' || sanitizedName === '.' || sanitizedName === '..' ? 'file' : sanitizedName;
}

/** Returns the name if it is free, otherwise the name with ` (2)`, ` (3)` … before its extension. */
export function freeName(name: string, takenNames: ReadonlySet<string>): string {
  const [stem, extension] = stemAndExtension(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : withSuffix(stem, ` (${number})${extension}`);
    if (!takenNames.has(candidate)) return candidate;
  }
}

/** Assigns names to files restored into one folder. A taken name gets ` (2)`, ` (3)` … appended. */
export class RestoredNames {
  private readonly nextNumbers = new Map<string, number>();
  private readonly takenNames: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.takenNames = new Set(taken);
  }

  addTakenName(name: string): void {
    this.takenNames.add(name);
  }

  assign(name: string): string {
    let assignedName = name;
    // The search continues after the last number of this name, because earlier numbers stay taken.
    for (let number = this.nextNumbers.get(name) ?? 2; this.takenNames.has(assignedName); number += 1) {
      assignedName = withSuffix(name, ` (${number})`);
      this.nextNumbers.set(name, number + 1);
    }
    this.takenNames.add(assignedName);
    return assignedName;
  }
}

/** Returns the text with which every name that {@link freeName} makes by adding a number to `name` starts. */
export function numberedNamePrefix(name: string): string {
  const [stem, extension] = stemAndExtension(name);
  const room = MAX_STEM_LENGTH - characterCount(extension);
  return characterCount(stem) <= room ? `${stem} (` : [...stem].slice(0, room).join('');
}

/** Returns the text with which every name that {@link RestoredNames} makes by adding a number to `name` starts. */
export function restoredNameStem(name: string): string {
  return [...name].slice(0, MAX_STEM_LENGTH).join('');
}

function stemAndExtension(name: string): [stem: string, extension: string] {
  const [stem, extension] = splitExtension(name);
  return characterCount(extension) <= MAX_EXTENSION_LENGTH ? [stem, extension] : [name, ''];
}

function withSuffix(text: string, suffix: string): string {
  const room = MAX_STRING_LENGTH - characterCount(suffix);
  return (characterCount(text) <= room ? text : [...text].slice(0, room).join('')) + suffix;
}

/** Parses a list, a comma-separated text or a JSON array in a text. Returns trimmed, distinct tags in their order. */
export function parseTags(value: readonly string[] | string): string[] {
  const parts = typeof value === 'string' ? (splitTags(value) ?? []) : value;
  return [...new Set(parts.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

/** Returns `undefined` for a JSON array that contains other values than texts. */
export function splitTags(text: string): readonly string[] | undefined {
  const list = parseJsonArray(text);
  if (list === undefined) return text.split(',');
  return list.every((tag) => typeof tag === 'string') ? list : undefined;
}

function parseJsonArray(text: string): readonly unknown[] | undefined {
  if (!text.trim().startsWith('[')) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

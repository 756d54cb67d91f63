import { isBlank, isSound, lengthOf, LONGEST_STRING, refuse, type Refusal } from '@back-office/kernel';
import { parted } from './keys.js';

// eslint-disable-next-line no-control-regex
const NO_NAME = /[\\/\u0000-\u001f\u007f]/;

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

/** Longer ones are no extensions; cutting a name short leaves them no whole. */
const LONGEST_EXTENSION = 32;
/** As many characters as ` (2)` may ever grow to. */
const LONGEST_NUMBER = 19;
/** So many characters of a text stay, whatever number is put behind it. */
export const LONGEST_STEM = LONGEST_STRING - LONGEST_NUMBER;

/** The name of a file as it is shown; refused under `name` when it could be taken for a path, or is too long. */
export function fileName(text: string): string | Refusal {
  const name = text.normalize('NFC').trim();
  if (isBlank(name)) return refuse("can't be blank", 'name');
  if (name === '.' || name === '..' || NO_NAME.test(name) || !isSound(name)) return refuse('is invalid', 'name');
  return lengthOf(name) > LONGEST_STRING ? refuse('is too long', 'name') : name;
}

/** What a client's own name of a file, which may be anything, leaves of one. */
export function nameFromClient(text: string): string {
  const last =
    text
      .replaceAll(/\p{Surrogate}/gu, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const name = last.normalize('NFC').replaceAll(CONTROLS, ' ').trim();
  const fits = ended(...stemAndExtension(name)).trim();
  return fits === '' || fits === '.' || fits === '..' ? 'file' : fits;
}

/** A name that is not taken: the wished one, or with ` (2)`, ` (3)` … before its extension. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const [stem, extension] = stemAndExtension(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : ended(stem, ` (${number})${extension}`);
    if (!taken.has(candidate)) return candidate;
  }
}

/** Names for files that come back into one folder: their own, or with ` (2)`, ` (3)` … behind it where it is taken. */
export class RestoredNames {
  private readonly next = new Map<string, number>();
  private readonly taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.taken = new Set(taken);
  }

  /** A name that is there. */
  take(name: string): void {
    this.taken.add(name);
  }

  /** A name that nobody else has been given. */
  give(name: string): string {
    let given = name;
    // Names are never given back: what was taken for the last file of that name still is.
    for (let number = this.next.get(name) ?? 2; this.taken.has(given); number += 1) {
      given = ended(name, ` (${number})`);
      this.next.set(name, number + 1);
    }
    this.taken.add(given);
    return given;
  }
}

/** What every other name that {@link freeName} may make of this one begins with. */
export function startOfFree(name: string): string {
  const [stem, extension] = stemAndExtension(name);
  const room = LONGEST_STEM - lengthOf(extension);
  return lengthOf(stem) <= room ? `${stem} (` : [...stem].slice(0, room).join('');
}

/** What every other name that {@link RestoredNames} may make of this one begins with, its number left out. */
export function stemOfRestored(name: string): string {
  return [...name].slice(0, LONGEST_STEM).join('');
}

function stemAndExtension(name: string): [stem: string, extension: string] {
  const [stem, extension] = parted(name);
  return lengthOf(extension) <= LONGEST_EXTENSION ? [stem, extension] : [name, ''];
}

/** A text with this end, cut so that both together are no longer than a name may be. */
function ended(text: string, end: string): string {
  const room = LONGEST_STRING - lengthOf(end);
  return (lengthOf(text) <= room ? text : [...text].slice(0, room).join('')) + end;
}

/** Tags as a list, or as one text with commas; trimmed, each once, in their order. */
export function tagsOf(value: readonly string[] | string): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value;
  return [...new Set(parts.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

import { isBlank, isSound, lengthOf, LONGEST_STRING, refuse, type Refusal } from '@back-office/kernel';
import { parted } from './keys.js';

// eslint-disable-next-line no-control-regex
const NO_NAME = /[\\/\u0000-\u001f\u007f]/;

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f]+/g;

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
  const [stem, extension] = parted(name);
  const short = [...stem].slice(0, LONGEST_STRING - lengthOf(extension)).join('');
  const fits = lengthOf(name) <= LONGEST_STRING ? name : `${short}${extension}`.slice(0, LONGEST_STRING);
  return fits === '' || fits === '.' || fits === '..' ? 'file' : fits;
}

/** A name that is not taken: the wished one, or with ` (2)`, ` (3)` … before its extension. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const [stem, extension] = parted(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${stem} (${number})${extension}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** A name for a file that comes back into a folder in which its own is taken by now. */
export function restoredName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) {
    const candidate = number === 2 && !taken.has(name) ? name : `${name} (${number})`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Tags as a list, or as one text with commas; trimmed, each once, in their order. */
export function tagsOf(value: readonly string[] | string): string[] {
  const parts = typeof value === 'string' ? value.split(',') : value;
  return [...new Set(parts.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

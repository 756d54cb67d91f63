import type { LoadHook } from 'node:module';
import { SEEDED_BUGS, type Change } from './seeded-bug-list.js';

let changes: readonly Change[] = [];

/** Selects the bug by its number. */
export function initialize(bug: string): void {
  changes = SEEDED_BUGS[Number(bug)]?.changes ?? [];
}

/** Loads a built module with the changes of the bug. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const own = changes.filter(({ file }) => url.endsWith(file));
  if (own.length === 0) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const { file, find, replace } of own) {
    if (!source.includes(find)) throw new Error(`The bug cannot be seeded: ${file} does not contain ${find}`);
    source = source.replaceAll(find, replace);
  }
  return { ...loaded, source };
};

import type { LoadHook } from 'node:module';
import { SEEDED_BUGS, type Change } from './seeded-bug-list.js';

let changes: readonly Change[] = [];

/** Of the bug whose number the process was started with. */
export function initialize(bug: string): void {
  changes = SEEDED_BUGS[Number(bug)]?.changes ?? [];
}

/** The built modules of the service, but for the texts that the bug changes. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const own = changes.filter(({ file }) => url.endsWith(file));
  if (own.length === 0) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const { file, find, replace } of own) {
    if (!source.includes(find)) throw new Error(`The bug cannot be seeded: ${file} does not hold ${find}`);
    source = source.replaceAll(find, replace);
  }
  return { ...loaded, source };
};

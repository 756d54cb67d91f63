import type { LoadHook } from 'node:module';
import { SEEDED_BUGS, type SeededChange } from './seeded-bug-list.js';

let changes: readonly SeededChange[] = [];

export function initialize(bug: string): void {
  changes = SEEDED_BUGS[Number(bug)]?.changes ?? [];
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const module = await nextLoad(url, context);
  const moduleChanges = changes.filter(({ file }) => url.endsWith(file));
  if (moduleChanges.length === 0) return module;
  let source = Buffer.from(module.source as Uint8Array).toString();
  for (const { file, find, replace } of moduleChanges) {
    if (!source.includes(find)) throw new Error(`The bug cannot be seeded: ${file} does not contain ${find}`);
    source = source.replaceAll(find, replace);
  }
  return { ...module, source };
};

/** @type {readonly import('./seeded-bug-list.js').SeededChange[]} */
let changes = [];

/** @param {string} data */
export function initialize(data) {
  changes = JSON.parse(data);
}

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, nextLoad) => {
  const module = await nextLoad(url, context);
  const moduleChanges = changes.filter(({ file }) => url.endsWith(file));
  if (moduleChanges.length === 0) return module;
  let source = Buffer.from(/** @type {Uint8Array} */ (module.source)).toString();
  for (const { file, find, replace } of moduleChanges) {
    if (!source.includes(find)) throw new Error(`The bug cannot be seeded: ${file} does not contain ${find}`);
    source = source.replaceAll(find, replace);
  }
  return { ...module, source };
};

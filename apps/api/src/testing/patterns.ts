import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodesOf, parseSource } from './source-syntax.js';

const NO_PRODUCTION_CODE = /\/node_modules\/|\.test\.ts$|\/(?:testing|docs)\//;

/**
 * Returns the regular expressions of the service and its packages, sorted, each with one file that contains it. A key
 * is `/source/flags`.
 */
export function patternsOf(root: string): Map<string, string> {
  const folders = ['packages', 'apps/api'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const sources = folders.filter((file) => /\/src\/.*\.ts$/.test(file) && !NO_PRODUCTION_CODE.test(file));
  const patternEntries = sources.flatMap((file) =>
    literalsIn(readFileSync(join(root, file), 'utf8')).map((pattern) => [pattern, file] as const),
  );
  return new Map(patternEntries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function literalsIn(source: string): string[] {
  return nodesOf(parseSource(source).program).flatMap(({ regex }) => {
    const { pattern, flags } = (regex ?? {}) as { readonly pattern?: string; readonly flags?: string };
    return pattern === undefined ? [] : [`/${pattern}/${flags}`];
  });
}

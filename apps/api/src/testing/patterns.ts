import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

const NO_PRODUCTION_CODE = /\/node_modules\/|\.test\.ts$|\/(?:testing|bench|faults|differential|mutants|docs)\//;
const TIMEOUT_MS = 60_000;

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
    literalsIn(file, readFileSync(join(root, file), 'utf8')).map((pattern) => [pattern, file] as const),
  );
  return new Map(patternEntries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function literalsIn(file: string, source: string): string[] {
  const literals: string[] = [];
  const visitor = new Visitor({
    Literal: (node) => {
      if ('regex' in node) literals.push(`/${node.regex.pattern}/${node.regex.flags}`);
    },
  });
  visitor.visit(parseSync(file, source).program);
  return literals;
}

/** Returns `safe` when no text makes the pattern take more than linear time, or else `vulnerable` or `unknown`. */
export async function verdictOn(pattern: string): Promise<string> {
  const end = pattern.lastIndexOf('/');
  const { status } = await check(pattern.slice(1, end), pattern.slice(end + 1), { timeout: TIMEOUT_MS });
  return status;
}

import type { Change } from './change.js';
import { codeChanges } from './code-operators.js';
import { reasonToSkip } from './equivalents.js';
import { isSql, sqlChanges } from './sql-operators.js';
import { rangeOf, type Source, type Visited } from './syntax.js';

export interface Point extends Change {
  readonly source: Source;
}

/** Returns all points of a file, except those that a rule of `equivalents.ts` covers. */
export function pointsOf(source: Source): Point[] {
  const code = codeChanges(source)
    .filter(({ visited }) => visited === undefined || sqlOf(visited, source) === undefined)
    .filter(({ change, visited }) => reasonToSkip({ source, change, parents: visited?.parents ?? [] }) === undefined)
    .map(({ change }) => change);
  return [...code, ...source.visited.flatMap((visited) => sqlChangesIn(visited, source))].map((change) => ({
    ...change,
    source,
  }));
}

function sqlChangesIn(visited: Visited, source: Source): Change[] {
  const sql = sqlOf(visited, source);
  if (sql === undefined) return [];
  const sqlStart = rangeOf(visited.node).start + 1;
  const byteOffsetOf = (index: number): number => sqlStart + Buffer.byteLength(sql.slice(0, index));
  return sqlChanges(sql)
    .map((change) => ({
      ...change,
      operator: `SQL: ${change.operator}`,
      start: byteOffsetOf(change.start),
      end: byteOffsetOf(change.end),
    }))
    .filter(
      (change) =>
        reasonToSkip({ source, change, parents: visited.parents, statement: sql, siblings: change.siblings ?? [] }) ===
        undefined,
    );
}

/** Returns the text between the quotes if it is SQL, or else `undefined`. */
function sqlOf({ node }: Visited, source: Source): string | undefined {
  if (node.type !== 'TemplateLiteral' && node.type !== 'StringLiteral') return undefined;
  const { start, end } = rangeOf(node);
  const text = source.text({ start: start + 1, end: end - 1 });
  return isSql(text) ? text : undefined;
}

/** Formats a point as `file:line`, operator, original text and replacement. */
export function describePoint({ source, start, end, operator, replacement }: Point): string {
  const shorten = (text: string): string => {
    const line = text.replaceAll(/\s+/g, ' ').trim();
    return line.length > 100 ? `${line.slice(0, 97)}…` : line;
  };
  const original = shorten(source.text({ start, end: Math.max(end, start) }));
  return `${source.file}:${source.lineOf({ start, end })} ${operator}: \`${original}\` → \`${shorten(replacement)}\``;
}

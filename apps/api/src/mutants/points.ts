import type { Change } from './change.js';
import { codeChanges } from './code-operators.js';
import { reasonToSkip } from './equivalents.js';
import { isSql, sqlChanges } from './sql-operators.js';
import { rangeOf, type Source, type Visited } from './syntax.js';

/** A place where a file can be mutated, and how. */
export interface Point extends Change {
  readonly source: Source;
}

/** All points of a file but those that a rule of `equivalents.ts` covers. */
export function pointsOf(source: Source): Point[] {
  const code = codeChanges(source)
    .filter(({ visited }) => visited === undefined || sqlOf(visited, source) === undefined)
    .filter(({ change, visited }) => reasonToSkip({ source, change, parents: visited?.parents ?? [] }) === undefined)
    .map(({ change }) => change);
  return [...code, ...source.visited.flatMap((visited) => changesWithin(visited, source))].map((change) => ({
    ...change,
    source,
  }));
}

function changesWithin(visited: Visited, source: Source): Change[] {
  const sql = sqlOf(visited, source);
  if (sql === undefined) return [];
  const begun = rangeOf(visited.node).start + 1;
  const place = (at: number): number => begun + Buffer.byteLength(sql.slice(0, at));
  return sqlChanges(sql)
    .map((change) => ({
      ...change,
      operator: `SQL: ${change.operator}`,
      start: place(change.start),
      end: place(change.end),
    }))
    .filter(
      (change) =>
        reasonToSkip({ source, change, parents: visited.parents, statement: sql, besides: change.besides ?? [] }) ===
        undefined,
    );
}

/** What stands between the quotes of a text of SQL. */
function sqlOf({ node }: Visited, source: Source): string | undefined {
  if (node.type !== 'TemplateLiteral' && node.type !== 'StringLiteral') return undefined;
  const { start, end } = rangeOf(node);
  const text = source.text({ start: start + 1, end: end - 1 });
  return isSql(text) ? text : undefined;
}

/** For people: `file:line`, the operator, and what becomes of what. */
export function described({ source, start, end, operator, replacement }: Point): string {
  const short = (text: string): string => {
    const line = text.replaceAll(/\s+/g, ' ').trim();
    return line.length > 100 ? `${line.slice(0, 97)}…` : line;
  };
  const before = short(source.text({ start, end: Math.max(end, start) }));
  return `${source.file}:${source.lineOf({ start, end })} ${operator}: \`${before}\` → \`${short(replacement)}\``;
}

import type { ColumnRef, Node, RangeFunction } from 'libpg-query';
import { column, type Value } from './tied-values.js';

/** Something rows come from: a table, a query, a function, with as many of its columns as can be known. */
export interface Range {
  readonly id: number;
  readonly name: string;
  readonly table?: string | undefined;
  readonly columns: readonly (string | undefined)[];
}

/** One query within a statement, and what names mean in it. */
export interface Level {
  readonly outer: Level | undefined;
  readonly ranges: Range[];
  /** Of WITH. */
  readonly queries: Map<string, Range>;
}

export function textOf(node: Node | undefined): string | undefined {
  return node && 'String' in node ? node.String.sval : undefined;
}

export function nameOf(target: Node): string | undefined {
  return 'ResTarget' in target ? target.ResTarget.name : undefined;
}

/** Of `(a, b)` both, of anything else itself. */
export function elementsOf(expression: Node): readonly Node[] {
  return 'RowExpr' in expression ? (expression.RowExpr.args ?? []) : [expression];
}

/** The name and the columns of a function in FROM: `f($1) as name (a, b)`, with types or without. */
export function shapeOf({ alias, coldeflist }: RangeFunction): [name: string, columns: (string | undefined)[]] {
  const typed = coldeflist?.map((each) => ('ColumnDef' in each ? each.ColumnDef.colname : undefined));
  const name = alias?.aliasname ?? '';
  return [name, typed ?? alias?.colnames?.map(textOf) ?? [name]];
}

/** The same rows under another name, and with other names of the first columns. */
export function renamed(range: Range, name: string, names: readonly Node[] = []): Range {
  return { ...range, name, columns: range.columns.map((each, place) => textOf(names[place]) ?? each) };
}

/** What a column of an answer is called that is given no name. */
export function inferredName(expression: Node | undefined): string | undefined {
  if (expression && 'TypeCast' in expression) return inferredName(expression.TypeCast.arg);
  return expression && 'ColumnRef' in expression ? textOf(expression.ColumnRef.fields?.at(-1)) : undefined;
}

/** `*` and `t.*` */
export function isStar(expression: Node): expression is { ColumnRef: ColumnRef } {
  const last = 'ColumnRef' in expression ? expression.ColumnRef.fields?.at(-1) : undefined;
  return last !== undefined && 'A_Star' in last;
}

/** Of `t.a` what is called t, of `a` whatever is in the level. */
export function ownersOf({ fields = [] }: ColumnRef, { ranges }: Level): readonly Range[] {
  const owner = textOf(fields.at(-2));
  return owner === undefined ? ranges : ranges.filter(({ name }) => name === owner);
}

export function queryNamed(name: string, level: Level | undefined): Range | undefined {
  return level && (level.queries.get(name) ?? queryNamed(name, level.outer));
}

/** More than one where USING has made one of them. */
export function columnsIn(ranges: readonly Range[], name: string | undefined): Value[] | undefined {
  if (name === undefined) return undefined;
  const found = ranges.flatMap(({ id, columns }) => {
    const place = columns.indexOf(name);
    return place < 0 ? [] : [column(id, place)];
  });
  return found.length > 0 ? found : undefined;
}

/** What a name stands for, in the innermost level that knows it. */
export function columnNamed(reference: ColumnRef, level: Level | undefined): readonly Value[] | undefined {
  if (!level) return undefined;
  const { fields = [] } = reference;
  const owners = ownersOf(reference, level);
  const found = columnsIn(owners, textOf(fields.at(-1)));
  const isSettled = found !== undefined || (fields.length > 1 && owners.length > 0);
  return isSettled ? found : columnNamed(reference, level.outer);
}

import type { ColumnRef, Node, RangeFunction } from 'libpg-query';
import { column, type Value } from './tied-values.js';

/** A source of rows: a table, query or function, with its known columns. */
export interface Range {
  readonly id: number;
  readonly name: string;
  readonly table?: string | undefined;
  readonly columns: readonly (string | undefined)[];
}

/** Scope of names of one query. */
export interface Level {
  readonly outer: Level | undefined;
  readonly ranges: Range[];
  /** CTEs by name. */
  readonly queries: Map<string, Range>;
}

export function textOf(node: Node | undefined): string | undefined {
  return node && 'String' in node ? node.String.sval : undefined;
}

export function nameOf(target: Node): string | undefined {
  return 'ResTarget' in target ? target.ResTarget.name : undefined;
}

/** The elements of `(a, b)`, or the expression itself. */
export function elementsOf(expression: Node): readonly Node[] {
  return 'RowExpr' in expression ? (expression.RowExpr.args ?? []) : [expression];
}

/** Name and columns of a function in FROM: `f($1) as name (a, b)`, with or without types. */
export function shapeOf({ alias, coldeflist }: RangeFunction): [name: string, columns: (string | undefined)[]] {
  const typed = coldeflist?.map((each) => ('ColumnDef' in each ? each.ColumnDef.colname : undefined));
  const name = alias?.aliasname ?? '';
  return [name, typed ?? alias?.colnames?.map(textOf) ?? [name]];
}

/** The range with another name, and other names of its first columns. */
export function renamed(range: Range, name: string, names: readonly Node[] = []): Range {
  return { ...range, name, columns: range.columns.map((each, position) => textOf(names[position]) ?? each) };
}

/** Name of an output column without alias. */
export function inferredName(expression: Node | undefined): string | undefined {
  if (expression && 'TypeCast' in expression) return inferredName(expression.TypeCast.arg);
  return expression && 'ColumnRef' in expression ? textOf(expression.ColumnRef.fields?.at(-1)) : undefined;
}

/** `*` and `t.*` */
export function isStar(expression: Node): expression is { ColumnRef: ColumnRef } {
  const last = 'ColumnRef' in expression ? expression.ColumnRef.fields?.at(-1) : undefined;
  return last !== undefined && 'A_Star' in last;
}

/** Ranges that a reference may belong to: `t` of `t.a`, all of the level for `a`. */
export function ownersOf({ fields = [] }: ColumnRef, { ranges }: Level): readonly Range[] {
  const owner = textOf(fields.at(-2));
  return owner === undefined ? ranges : ranges.filter(({ name }) => name === owner);
}

export function queryNamed(name: string, level: Level | undefined): Range | undefined {
  return level && (level.queries.get(name) ?? queryNamed(name, level.outer));
}

/** Columns with this name; several after USING. */
export function columnsIn(ranges: readonly Range[], name: string | undefined): Value[] | undefined {
  if (name === undefined) return undefined;
  const found = ranges.flatMap(({ id, columns }) => {
    const position = columns.indexOf(name);
    return position < 0 ? [] : [column(id, position)];
  });
  return found.length > 0 ? found : undefined;
}

/** Columns of a reference in the innermost level that has it. */
export function columnNamed(reference: ColumnRef, level: Level | undefined): readonly Value[] | undefined {
  if (!level) return undefined;
  const { fields = [] } = reference;
  const owners = ownersOf(reference, level);
  const found = columnsIn(owners, textOf(fields.at(-1)));
  const isSettled = found !== undefined || (fields.length > 1 && owners.length > 0);
  return isSettled ? found : columnNamed(reference, level.outer);
}

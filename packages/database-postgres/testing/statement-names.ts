import type { ColumnRef, Node, RangeFunction } from 'libpg-query';
import { column, type Value } from './tied-values.js';

export interface RowSource {
  readonly id: number;
  readonly name: string;
  readonly table?: string | undefined;
  readonly columns: readonly (string | undefined)[];
}

export interface Scope {
  readonly outer: Scope | undefined;
  readonly sources: RowSource[];
  readonly queries: Map<string, RowSource>;
}

export function textOf(node: Node | undefined): string | undefined {
  return node && 'String' in node ? node.String.sval : undefined;
}

export function nameOf(target: Node): string | undefined {
  return 'ResTarget' in target ? target.ResTarget.name : undefined;
}

export function elementsOf(expression: Node): readonly Node[] {
  return 'RowExpr' in expression ? (expression.RowExpr.args ?? []) : [expression];
}

export function aliasOf({ alias, coldeflist }: RangeFunction): [name: string, columns: (string | undefined)[]] {
  const typedColumns = coldeflist?.map((definition) =>
    'ColumnDef' in definition ? definition.ColumnDef.colname : undefined,
  );
  const name = alias?.aliasname ?? '';
  return [name, typedColumns ?? alias?.colnames?.map(textOf) ?? [name]];
}

export function rename(source: RowSource, name: string, names: readonly Node[] = []): RowSource {
  return {
    ...source,
    name,
    columns: source.columns.map((columnName, position) => textOf(names[position]) ?? columnName),
  };
}

export function inferName(expression: Node | undefined): string | undefined {
  if (expression && 'TypeCast' in expression) return inferName(expression.TypeCast.arg);
  return expression && 'ColumnRef' in expression ? textOf(expression.ColumnRef.fields?.at(-1)) : undefined;
}

export function isStar(expression: Node): expression is { ColumnRef: ColumnRef } {
  const lastField = 'ColumnRef' in expression ? expression.ColumnRef.fields?.at(-1) : undefined;
  return lastField !== undefined && 'A_Star' in lastField;
}

export function findOwners({ fields = [] }: ColumnRef, { sources }: Scope): readonly RowSource[] {
  const owner = textOf(fields.at(-2));
  return owner === undefined ? sources : sources.filter(({ name }) => name === owner);
}

export function findQuery(name: string, scope: Scope | undefined): RowSource | undefined {
  return scope && (scope.queries.get(name) ?? findQuery(name, scope.outer));
}

export function findColumns(sources: readonly RowSource[], name: string | undefined): Value[] | undefined {
  if (name === undefined) return undefined;
  const values = sources.flatMap(({ id, columns }) => {
    const position = columns.indexOf(name);
    return position < 0 ? [] : [column(id, position)];
  });
  return values.length > 0 ? values : undefined;
}

/**
 * Returns no values for a column of an outer query: the planner of a cluster cannot follow it, so it would send the
 * subquery to every node.
 */
export function resolveColumn(reference: ColumnRef, scope: Scope): readonly Value[] | undefined {
  return findColumns(findOwners(reference, scope), textOf(reference.fields?.at(-1)));
}

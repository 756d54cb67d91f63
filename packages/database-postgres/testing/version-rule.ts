import { parseSync } from 'libpg-query';

/** The process remembers their rows by version, so every change of a row must increase it. */
const VERSIONED_TABLES: ReadonlySet<string> = new Set(['proforma_orders']);

interface Relation {
  readonly relname?: string;
  readonly alias?: { readonly aliasname?: string };
}

interface Target {
  readonly ResTarget?: { readonly name?: string; readonly val?: unknown };
}

interface Change {
  readonly relation?: Relation;
  readonly targetList?: readonly Target[];
  readonly onConflictClause?: { readonly targetList?: readonly Target[] };
}

/** Returns the versioned tables that the statement changes without `version + 1`. It may neither merge nor upsert. */
export function findUnversionedChanges(text: string): string[] {
  return changesIn(parseSync(text)).flatMap(([kind, { relation = {}, targetList = [], onConflictClause }]) => {
    const { relname = '' } = relation;
    if (!VERSIONED_TABLES.has(relname)) return [];
    const isVersioned =
      kind === 'UpdateStmt'
        ? targetList.some((target) => increasesVersion(target, relation))
        : kind === 'InsertStmt' && (onConflictClause?.targetList ?? []).length === 0;
    return isVersioned ? [] : [`${relname} keeps its version`];
  });
}

/** Accepts only `version + 1`, where `version` is the column of the changed table. */
function increasesVersion({ ResTarget: target }: Target, { relname, alias }: Relation): boolean {
  if (target?.name !== 'version') return false;
  const json = JSON.stringify(target.val, (key, value: unknown) => (key === 'location' ? undefined : value));
  const column = (...names: readonly string[]): string =>
    `{"ColumnRef":{"fields":[${names.map((name) => `{"String":{"sval":"${name}"}}`).join(',')}]}}`;
  return [column('version'), column(alias?.aliasname ?? relname ?? '', 'version')].some(
    (version) =>
      json ===
      `{"A_Expr":{"kind":"AEXPR_OP","name":[{"String":{"sval":"+"}}],"lexpr":${version},"rexpr":{"A_Const":{"ival":{"ival":1}}}}}`,
  );
}

const CHANGES: ReadonlySet<string> = new Set(['UpdateStmt', 'InsertStmt', 'MergeStmt']);

function changesIn(node: unknown): [kind: string, change: Change][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]): [string, Change][] => [
    ...(CHANGES.has(key) ? [[key, value as Change] as [string, Change]] : []),
    ...changesIn(value),
  ]);
}

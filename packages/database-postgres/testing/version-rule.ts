import { parseSync } from 'libpg-query';

/** The process remembers their rows by version, so every change of a row must increase it. */
const VERSIONED_TABLES: ReadonlySet<string> = new Set(['proforma_orders']);

interface Update {
  readonly relation?: { readonly relname?: string };
  readonly targetList?: readonly { readonly ResTarget?: { readonly name?: string; readonly val?: unknown } }[];
}

/** Returns the versioned tables that the statement updates without increasing `version`. */
export function findUnversionedUpdates(text: string): string[] {
  return updatesIn(parseSync(text)).flatMap(({ relation, targetList = [] }) => {
    const table = relation?.relname ?? '';
    const versions = targetList.flatMap(({ ResTarget }) => (ResTarget?.name === 'version' ? [ResTarget.val] : []));
    return VERSIONED_TABLES.has(table) && !versions.some(isIncrease) ? [`${table} keeps its version`] : [];
  });
}

function isIncrease(value: unknown): boolean {
  const json = JSON.stringify(value);
  return json.includes('"sval":"+"') && json.includes('"sval":"version"');
}

function updatesIn(node: unknown): Update[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === 'UpdateStmt' ? [value as Update] : []),
    ...updatesIn(value),
  ]);
}

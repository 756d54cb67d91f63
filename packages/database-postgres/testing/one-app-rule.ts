import { SPECIAL_TABLES } from '../src/schema/schema-rules.js';
import { loadModule, parseSync, type Node } from 'libpg-query';
import { StatementReader, type Tables } from './statement-reader.js';
import type { RowSource } from './statement-names.js';
import { column, rootsOf, findTiedValues, type Tie, type Value } from './tied-values.js';

export const REFERENCE_TABLES: ReadonlySet<string> = new Set(
  Object.keys(SPECIAL_TABLES).filter((name) => SPECIAL_TABLES[name]?.kind === 'reference'),
);

export const ACROSS_APPS = /\/\* across apps: (.+?) \*\//;

const LOCKS_OR_WRITES = /"(LockingClause|InsertStmt|UpdateStmt|DeleteStmt)":/;

const WRITE_STATEMENT = /^(?:Insert|Update|Delete)Stmt$/;
const WRITTEN_TABLE = /"(?:Insert|Update|Delete)Stmt":{"relation":{"relname":"(\w+)"/g;

export const loadGrammar: () => Promise<void> = loadModule;

/**
 * Returns the reasons why the statement may touch records of more than one app; an empty list if it cannot. Conditions
 * must tie the `app_id` of every table to one parameter or constant. A statement that is marked as across apps must
 * break this rule, and must neither lock nor write.
 */
export function findBreaches(text: string, tables: Tables): string[] {
  const statements = (parseSync(text).stmts ?? []).flatMap(({ stmt }) => stmt ?? []);
  const breaches = statements.flatMap((statement) => findBreachesOfStatement(statement, tables));
  if (!ACROSS_APPS.test(text)) return breaches;
  if (LOCKS_OR_WRITES.test(JSON.stringify(statements))) return ['goes across apps, and locks or writes'];
  return breaches.length > 0 ? [] : ['says that it goes across apps, but does not'];
}

function findBreachesOfStatement(statement: Node, tables: Tables): string[] {
  const reader = new StatementReader(tables);
  if (!reader.read(statement)) return reportUnreadable(statement, tables);
  const uses = reader.uses.filter(({ table = '' }) => isOfApp(table, tables));
  const untiedMessages = fewestOf(
    [...rootsOf(reader.ties)].map((root) => findUntied(root, uses, reader.ties)),
    uses,
  ).map(({ table, name }) => `${table}${name === table ? '' : ` as ${name}`} is not tied to the app`);
  const writeMessages = reader.writes
    .filter(
      ({ table: { table = '' }, columns, isNew }) => isOfApp(table, tables) && columns.includes('app_id') !== isNew,
    )
    .map(({ table: { table }, isNew }) => (isNew ? `${table} gets rows without app_id` : `${table} changes app_id`));
  return [...new Set([...writeMessages, ...untiedMessages, ...findWritesOfOneCopy(statement)])];
}

/** A cluster changes every copy of a reference table only if this write is the whole statement. */
function findWritesOfOneCopy(statement: Node): string[] {
  const writtenTables = [...JSON.stringify(statement).matchAll(WRITTEN_TABLE)].map(([, table = '']) => table);
  if (writtenTables.length === 1 && WRITE_STATEMENT.test(Object.keys(statement).join())) return [];
  return writtenTables
    .filter((table) => REFERENCE_TABLES.has(table))
    .map((table) => `${table} is written in a part of the statement`);
}

function fewestOf(candidates: readonly (readonly RowSource[])[], initial: readonly RowSource[]): readonly RowSource[] {
  return candidates.reduce((fewest, candidate) => (candidate.length < fewest.length ? candidate : fewest), initial);
}

function findUntied(root: Value, uses: readonly RowSource[], ties: readonly Tie[]): RowSource[] {
  const tiedValues = findTiedValues(root, ties);
  return uses.filter(({ id, columns }) => !tiedValues.has(column(id, columns.indexOf('app_id'))));
}

// Reports app tables in statements that are not analyzed, such as MERGE, TRUNCATE, LOCK and COPY.
function reportUnreadable(statement: Node, tables: Tables): string[] {
  const tableNames = JSON.stringify(statement).matchAll(/"relname":"(\w+)"/g);
  return [...tableNames].flatMap(([, table = '']) =>
    isOfApp(table, tables) ? [`${table} is named in a statement that cannot be read`] : [],
  );
}

function isOfApp(table: string, tables: Tables): boolean {
  return (tables.get(table)?.includes('app_id') ?? false) && !REFERENCE_TABLES.has(table);
}

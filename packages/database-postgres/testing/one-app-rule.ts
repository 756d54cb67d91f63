import { SPECIAL_TABLES } from '../src/schema-rules.js';
import { loadModule, parseSync, type Node } from 'libpg-query';
import { StatementReader, type Tables } from './statement-reader.js';
import type { Range } from './statement-names.js';
import { column, rootsOf, tiedTo, type Tie, type Value } from './tied-values.js';

/** Small tables read before the app is known, with a copy on every node. */
export const REFERENCE_TABLES: ReadonlySet<string> = new Set(
  Object.keys(SPECIAL_TABLES).filter((name) => SPECIAL_TABLES[name]?.kind === 'reference'),
);

/** Marks a statement that reads several apps, with its purpose. */
export const ACROSS_APPS = /\/\* across apps: (.+?) \*\//;

const LOCKS_OR_WRITES = /"(LockingClause|InsertStmt|UpdateStmt|DeleteStmt)":/;

/** Await once before {@link breachesOf}. */
export const loadGrammar: () => Promise<void> = loadModule;

/**
 * Returns why the statement may touch records of more than one app: the `app_id` of every table must equal one parameter
 * or constant by the statement's own conditions. Empty when it does.
 */
export function breachesOf(text: string, tables: Tables): string[] {
  const statements = (parseSync(text).stmts ?? []).flatMap(({ stmt }) => stmt ?? []);
  const breaches = statements.flatMap((statement) => breachesOfOne(statement, tables));
  if (!ACROSS_APPS.test(text)) return breaches;
  if (LOCKS_OR_WRITES.test(JSON.stringify(statements))) return ['goes across apps, and locks or writes'];
  return breaches.length > 0 ? [] : ['says that it goes across apps, but does not'];
}

function breachesOfOne(statement: Node, tables: Tables): string[] {
  const reader = new StatementReader(tables);
  if (!reader.read(statement)) return unreadable(statement, tables);
  const uses = reader.uses.filter(({ table = '' }) => isOfApp(table, tables));
  const untied = fewest(
    [...rootsOf(reader.ties)].map((root) => untiedBy(root, uses, reader.ties)),
    uses,
  ).map(({ table, name }) => `${table}${name === table ? '' : ` as ${name}`} is not tied to the app`);
  const given = reader.writes
    .filter(
      ({ table: { table = '' }, columns, isNew }) => isOfApp(table, tables) && columns.includes('app_id') !== isNew,
    )
    .map(({ table: { table }, isNew }) => (isNew ? `${table} gets rows without app_id` : `${table} changes app_id`));
  return [...new Set([...given, ...untied])];
}

/** The untied tables for the parameter that most are tied to. */
function fewest(remaining: readonly (readonly Range[])[], all: readonly Range[]): readonly Range[] {
  return remaining.reduce((least, each) => (each.length < least.length ? each : least), all);
}

function untiedBy(root: Value, uses: readonly Range[], ties: readonly Tie[]): Range[] {
  const tied = tiedTo(root, ties);
  return uses.filter(({ id, columns }) => !tied.has(column(id, columns.indexOf('app_id'))));
}

/** Statements such as MERGE, TRUNCATE, LOCK or COPY. */
function unreadable(statement: Node, tables: Tables): string[] {
  const named = JSON.stringify(statement).matchAll(/"relname":"(\w+)"/g);
  return [...named].flatMap(([, table = '']) =>
    isOfApp(table, tables) ? [`${table} is named in a statement that cannot be read`] : [],
  );
}

function isOfApp(table: string, tables: Tables): boolean {
  return (tables.get(table)?.includes('app_id') ?? false) && !REFERENCE_TABLES.has(table);
}

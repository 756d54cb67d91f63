import { SPECIAL_TABLES } from '../database/schema-rules.js';
import { loadModule, parseSync, type Node } from 'libpg-query';
import { StatementReader, type Tables } from './statement-reader.js';
import type { Range } from './statement-names.js';
import { column, rootsOf, tiedTo, type Tie, type Value } from './tied-values.js';

/** Looked up before it is known which app it is, small and seldom written: they are to be had wherever they are needed. */
export const REFERENCE_TABLES: ReadonlySet<string> = new Set(
  Object.keys(SPECIAL_TABLES).filter((name) => SPECIAL_TABLES[name]?.kind === 'reference'),
);

/** How a statement says that it finds work of any app, and which. */
export const ACROSS_APPS = /\/\* across apps: (.+?) \*\//;

const LOCKS_OR_WRITES = /"(LockingClause|InsertStmt|UpdateStmt|DeleteStmt)":/;

/** To be awaited once before statements are judged. */
export const loadGrammar: () => Promise<void> = loadModule;

/**
 * Why the statement may touch records of more than one app: every table with an `app_id` must have it tied to a
 * parameter or a constant by what the statement says itself. Empty when it keeps the rule.
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

/** What remains when the app is the parameter that most are tied to. */
function fewest(remaining: readonly (readonly Range[])[], all: readonly Range[]): readonly Range[] {
  return remaining.reduce((least, each) => (each.length < least.length ? each : least), all);
}

function untiedBy(root: Value, uses: readonly Range[], ties: readonly Tie[]): Range[] {
  const tied = tiedTo(root, ties);
  return uses.filter(({ id, columns }) => !tied.has(column(id, columns.indexOf('app_id'))));
}

/** MERGE, TRUNCATE, LOCK, COPY and the like. */
function unreadable(statement: Node, tables: Tables): string[] {
  const named = JSON.stringify(statement).matchAll(/"relname":"(\w+)"/g);
  return [...named].flatMap(([, table = '']) =>
    isOfApp(table, tables) ? [`${table} is named in a statement that cannot be read`] : [],
  );
}

function isOfApp(table: string, tables: Tables): boolean {
  return (tables.get(table)?.includes('app_id') ?? false) && !REFERENCE_TABLES.has(table);
}

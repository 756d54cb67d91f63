import type { Postgres } from '@back-office/database-postgres';

/** A counter per app that grows with every write, even when no value changes. */
export type WriteCounters = ReadonlyMap<number, number>;

const TABLES = `
  select t.table_name as name, bool_or(c.column_name = 'app_id') as has_app
  from information_schema.tables t
  join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
  where t.table_schema = 'public' and t.table_type = 'BASE TABLE' and t.table_name <> 'migrations'
  group by t.table_name order by t.table_name`;

interface Table {
  readonly name: string;
  /** Name of the column that contains the app id. */
  readonly owner: 'app_id' | 'id';
}

/**
 * Operations that count as writes. A read call may also move events to their positions in the feed; this must not
 * count.
 */
const WATCHED_OPERATIONS: Readonly<Record<string, string>> = {
  unplaced_events: 'insert or update',
  events: 'update or delete',
  event_feeds: 'delete',
};

async function tablesOf(database: Postgres): Promise<Table[]> {
  const tables = await database.rows<{ name: string; has_app: boolean }>(TABLES);
  return tables.map(({ name, has_app: hasApp }) => {
    if (!hasApp && name !== 'apps') throw new Error(`${name} has no app_id`);
    return { name, owner: hasApp ? 'app_id' : 'id' };
  });
}

/** Triggers note each written row in the transaction of the write, so a rolled-back write leaves no note. */
const WATCH = `
  create schema watched;
  create unlogged table watched.writes (
    id bigint generated always as identity, app_id bigint not null, before text, after text);
  ${['app_id', 'id']
    .map(
      (owner) => `create function watched.note_${owner}() returns trigger language plpgsql as $$
      begin
        insert into watched.writes (app_id, before, after)
        values (coalesce(new.${owner}, old.${owner}), tg_relid || old::text, tg_relid || new::text);
        return null;
      end $$;`,
    )
    .join('')}`;

const TAKE_WRITES = `
  with taken as (delete from watched.writes returning *)
  select app_id, before, after from taken order by taken.id`;

interface Write {
  readonly app_id: number;
  /** The old row with the id of its table; null for an insert. In `after`, null means a delete. */
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Watches all tables by triggers, which are faster than reading all tables after every call. Returns a function that
 * reads the counters.
 */
export async function watchWrites(database: Postgres): Promise<() => Promise<WriteCounters>> {
  const triggers = (await tablesOf(database)).map(
    ({
      name,
      owner,
    }) => `create trigger noted after ${WATCHED_OPERATIONS[name] ?? 'insert or update or delete'} on "${name}"
      for each row execute function watched.note_${owner}()`,
  );
  await database.source.query([WATCH, ...triggers].join(';'));
  const changes = new Map<number, number>();
  return async () => {
    for (const appId of appsWithWrites(await database.source.query<Write[]>(TAKE_WRITES)))
      changes.set(appId, (changes.get(appId) ?? 0) + 1);
    return new Map(changes);
  };
}

/** Returns the apps of the writes, ignoring rows that were inserted and deleted again. */
function appsWithWrites(writes: readonly Write[]): Set<number> {
  const appIds = new Set<number>();
  const insertedRows = new Map<string, number>();
  for (const { app_id: appId, before, after } of writes) {
    const isNew = before === null || insertedRows.delete(before);
    if (!isNew) appIds.add(appId);
    else if (after !== null) insertedRows.set(after, appId);
  }
  return new Set([...appIds, ...insertedRows.values()]);
}

/** Returns the names of the tables in which a row of the app contains the text. */
export async function tablesContaining(database: Postgres, appId: number, text: string): Promise<string[]> {
  const queries = (await tablesOf(database)).map(
    ({ name, owner }) => `select '${name}' as name from "${name}" as row
      where ${owner} = $1 and strpos(to_jsonb(row)::text, $2) > 0`,
  );
  const tables = await database.rows<{ name: string }>(queries.join(' union '), [appId, text]);
  return tables.map(({ name }) => name).sort();
}

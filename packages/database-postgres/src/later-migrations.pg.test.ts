import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { installCitusStandIn } from '../testing/citus-stand-in.js';
import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { migrationSourceFor } from './connection/data-source.js';
import { MIGRATIONS } from './migrations/index.js';
import { createAppTable } from './schema/app-table.js';
import { distributeTables } from './distribution.js';
import { findSchemaBreaches } from './schema/schema-rules.js';

type Migration = new () => MigrationInterface;

class GiftCards2763700000000 implements MigrationInterface {
  readonly name = 'GiftCards2763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table product_images add column caption text');
    await runner.query(`alter table apps add column gift_text text not null default ''`);
    await createAppTable(runner, {
      name: 'gift_cards',
      definition: `
        app_id bigint not null,
        id bigint generated always as identity,
        customer_id bigint not null,
        code text not null,
        primary key (app_id, id),
        constraint gift_cards_code_key unique (app_id, code)`,
      foreignKeys: {
        gift_cards_app_fkey: 'foreign key (app_id) references apps (id)',
        gift_cards_customer_fkey: 'foreign key (app_id, customer_id) references customers (app_id, id)',
      },
    });
    await runner.query('create index gift_cards_customer_idx on gift_cards (app_id, customer_id)');
    await runner.query('update product_images set caption = alt where caption is null');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('no'));
  }
}

class ForgetfulGiftCards2763700000000 implements MigrationInterface {
  readonly name = 'ForgetfulGiftCards2763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create table gift_cards (
      app_id bigint not null references apps (id), id bigint generated always as identity, primary key (app_id, id)
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('no'));
  }
}

const MIGRATIONS_OF_FIRST_DISTRIBUTED = 9;

async function runMigrations(
  database: TestDatabase,
  migrations: readonly Migration[],
  { isChecked = true } = {},
): Promise<void> {
  const source = await migrationSourceFor(database.connection, [...migrations]).initialize();
  try {
    await source.runMigrations();
    if (!isChecked) return;
    expect(await findSchemaBreaches((text, values) => source.query(text, values))).toEqual([]);
  } finally {
    await source.destroy();
  }
}

async function withClient(database: TestDatabase, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
    await database.drop();
  }
}

const FIND_TABLES_ANALYZED_LATE = `
  select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and not coalesce('autovacuum_analyze_scale_factor=0.01' = any(c.reloptions), false)`;

const INSERT_ORPHAN = `insert into gift_cards (app_id, customer_id, code) values (1, 1, 'A')`;
const COUNT_COLOCATIONS = `
  select count(distinct colocationid)::int as groups, bool_or(logicalrelid = 'gift_cards'::regclass) as with_gift_cards
  from pg_dist_partition where partmethod = 'h'`;

describe('a later migration', () => {
  it('creates its table on a plain database', async () => {
    const database = await makeTestDatabase();
    await runMigrations(database, [...MIGRATIONS, GiftCards2763700000000]);
    await withClient(database, async (client) => {
      expect((await client.query(FIND_TABLES_ANALYZED_LATE)).rows).toEqual([]);
      await expect(client.query(INSERT_ORPHAN)).rejects.toThrow('foreign key constraint "gift_cards_');
    });
  });

  it('creates a colocated table on a cluster', async () => {
    const database = await makeTestDatabase();
    await installCitusStandIn(database);
    await distributeTables(database.connection);
    await runMigrations(database, [...MIGRATIONS, GiftCards2763700000000]);
    await withClient(database, async (client) => {
      expect((await client.query(COUNT_COLOCATIONS)).rows).toEqual([{ groups: 1, with_gift_cards: true }]);
      await expect(client.query(INSERT_ORPHAN)).rejects.toThrow('foreign key constraint "gift_cards_');
    });
  });

  it('may create a plain table, which a later `distribute` distributes', async () => {
    const database = await makeTestDatabase();
    await installCitusStandIn(database);
    await distributeTables(database.connection);
    await runMigrations(database, [...MIGRATIONS, ForgetfulGiftCards2763700000000]);
    expect(await distributeTables(database.connection)).toEqual({ distributed: ['gift_cards'], reference: [] });
    await database.drop();
  });

  it('creates a plain table on a cluster that is not distributed yet', async () => {
    const database = await makeTestDatabase();
    await installCitusStandIn(database);
    await runMigrations(database, [...MIGRATIONS, GiftCards2763700000000]);
    expect((await distributeTables(database.connection)).distributed).toContain('gift_cards');
    await withClient(database, async (client) => {
      expect((await client.query(COUNT_COLOCATIONS)).rows).toEqual([{ groups: 1, with_gift_cards: true }]);
    });
  });
});

describe('every migration', () => {
  it('works in a schema of any name', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    const setUpClient = new pg.Client(database.url);
    await setUpClient.connect();
    const { name } = (await setUpClient.query('select quote_ident(current_database()) as name')).rows[0] as {
      name: string;
    };
    await setUpClient.query('create schema "Shop-1"');
    await setUpClient.query(`alter database ${name} set search_path = "Shop-1", public`);
    await setUpClient.end();
    await runMigrations(database, MIGRATIONS);
    await withClient(database, async (client) => {
      const { rows } = await client.query(`select count(*)::int as tables from pg_tables where schemaname = 'Shop-1'`);
      expect((rows[0] as { tables: number }).tables).toBeGreaterThan(35);
    });
  }, 60_000);
});

const INSERT_APP = `insert into apps (name, currency, media_prefix, inserted_at, updated_at)
  values ('shop', 'RSD', 'abcd1234', now(), now())`;
const INSERT_TOKEN = `insert into access_tokens (app_id, kind, token_hash, inserted_at)
  select id, 'app', sha256($1), now() from apps`;

/** Distributes the tables with a token, and copies the tokens to every node. */
async function distributeLikeFirstVersion(database: TestDatabase): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(INSERT_APP);
  for (const secret of ['a', 'removed']) await client.query(INSERT_TOKEN, [secret]);
  await client.query('delete from access_tokens where id = 2');
  await client.query('create schema aside');
  await client.query('alter table access_tokens drop constraint access_tokens_app_id_fkey');
  await client.query('alter table access_tokens set schema aside');
  await distributeTables(database.connection);
  await client.query('alter table aside.access_tokens set schema public');
  await client.query(`select create_reference_table('access_tokens')`);
  await client.query(
    'alter table access_tokens add constraint access_tokens_app_id_fkey foreign key (app_id) references apps',
  );
  await client.end();
}

describe('every migration since the first distributed version', () => {
  it('migrates a distributed database and leaves no plain table', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    await runMigrations(database, MIGRATIONS.slice(0, MIGRATIONS_OF_FIRST_DISTRIBUTED), { isChecked: false });
    await installCitusStandIn(database);
    await distributeLikeFirstVersion(database);
    await runMigrations(database, MIGRATIONS);
    expect(await distributeTables(database.connection)).toEqual({ distributed: [], reference: [] });
    await withClient(database, async (client) => {
      await client.query(INSERT_TOKEN, ['b']);
      const tokens = await client.query('select id::int, kind from access_tokens order by id');
      expect(tokens.rows).toEqual([
        { id: 1, kind: 'app' },
        { id: 3, kind: 'app' },
      ]);
      const settings = await client.query('select app_id::int, currency, settings from app_settings');
      expect(settings.rows).toEqual([{ app_id: 1, currency: 'RSD', settings: {} }]);
    });
  }, 120_000);
});

describe('the migration that distributes tokens by app', () => {
  const MIGRATIONS_BEFORE = MIGRATIONS.findIndex(({ name }) => name.startsWith('TokensByApp'));

  it('keeps a revocation that another node commits meanwhile', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    await runMigrations(database, MIGRATIONS.slice(0, MIGRATIONS_BEFORE), { isChecked: false });
    await withClient(database, async (client) => {
      await client.query(INSERT_APP);
      await client.query(INSERT_TOKEN, ['a']);
      await client.query('begin');
      await client.query('update access_tokens set revoked_at = now()');
      const migrated = runMigrations(database, MIGRATIONS);
      await untilLocked(client, 'access_tokens');
      await client.query('commit');
      await migrated;
      const { rows } = await client.query('select revoked_at is not null as revoked from access_tokens');
      expect(rows).toEqual([{ revoked: true }]);
    });
  });
});

describe('the migration that moves settings', () => {
  const MIGRATIONS_BEFORE = MIGRATIONS.findIndex(({ name }) => name.startsWith('SettingsByApp'));

  it('keeps a change that another node makes and commits meanwhile', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    await runMigrations(database, MIGRATIONS.slice(0, MIGRATIONS_BEFORE), { isChecked: false });
    await withClient(database, async (client) => {
      await client.query(INSERT_APP);
      await client.query('begin');
      await client.query('select from apps');
      const migrated = runMigrations(database, MIGRATIONS);
      await untilLocked(client, 'apps');
      await client.query(`update apps set settings = '{"media": {"serve_trash": true}}', name = 'new'`);
      await client.query('commit');
      await migrated;
      const { rows } = await client.query(
        'select app_id::int, name, currency, default_language, translations, settings from app_settings',
      );
      expect(rows).toEqual([
        {
          app_id: 1,
          name: 'new',
          currency: 'RSD',
          default_language: 'en',
          translations: {},
          settings: { media: { serve_trash: true } },
        },
      ]);
    });
  });
});

async function untilLocked(client: pg.Client, table: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select from pg_locks where not granted and relation = $1::regclass', [table]);
    if (rows.length > 0) return;
  }
}

describe('the migration that adds the table of events without a position', () => {
  const MIGRATIONS_BEFORE = MIGRATIONS.findIndex(({ name }) => name.startsWith('UnplacedEvents'));
  const FIND_UNPLACED = `
    select app_id::int, type, record_ids, warehouse_ids, part_ids, removed from unplaced_events order by id`;

  it('keeps events with a position and moves the others to that table', async () => {
    const database = await makeTestDatabase({ isEmpty: true });
    const source = await migrationSourceFor(database.connection, MIGRATIONS.slice(0, MIGRATIONS_BEFORE)).initialize();
    await source.runMigrations();
    await source.query(`
      insert into events (app_id, at, type, record_id, warehouse_id, removed, position) values
        (1, now(), 'order.created', 5, null, null, 1),
        (1, now(), 'stock.changed', 6, 7, null, null),
        (2, now(), 'file.purged', 8, null, '{"id": 8}', null)`);
    await source.destroy();
    await runMigrations(database, MIGRATIONS);
    await withClient(database, async (client) => {
      const { rows: placed } = await client.query('select app_id::int, record_id::int, position::int from events');
      expect(placed).toEqual([{ app_id: 1, record_id: 5, position: 1 }]);
      const { rows } = await client.query(FIND_UNPLACED);
      expect(rows).toEqual([
        { app_id: 1, type: 'stock.changed', record_ids: ['6'], warehouse_ids: ['7'], part_ids: [null], removed: null },
        {
          app_id: 2,
          type: 'file.purged',
          record_ids: ['8'],
          warehouse_ids: [null],
          part_ids: [null],
          removed: [{ id: 8 }],
        },
      ]);
    });
  });
});

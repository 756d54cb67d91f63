import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ACROSS_APPS, findBreaches, loadGrammar } from '../testing/one-app-rule.js';

const TABLES = new Map([
  ['apps', ['id', 'name']],
  ['orders', ['app_id', 'id', 'customer_id', 'total']],
  ['items', ['app_id', 'id', 'order_id', 'qty']],
  ['customers', ['app_id', 'id', 'email']],
]);

beforeAll(loadGrammar);

const checkStatement = (text: string): string[] => findBreaches(text, TABLES);

describe('the rule that a statement reads one app', () => {
  it.each([
    ['names the app', 'select * from orders where app_id = $1 and id = $2'],
    ['names it under another name', 'select o.id from orders as o where o.app_id = $1'],
    ['casts the app', 'select id from orders where app_id = $1::bigint'],
    ['compares a row', 'select id from orders where (app_id, id) = ($1, $2)'],
    ['has a list of one app', 'select id from orders where app_id in ($1)'],
    ['has a list of rows of the app', 'select id from orders where (app_id, id) in (($1, $2), ($1, $3))'],
    ['names it in each alternative', 'select id from orders where app_id = $1 and id = 1 or app_id = $1 and id = 2'],
    ['renames columns', 'select id from orders as o (shop) where shop = $1'],
    [
      'joins through a third',
      'select 1 from orders o, items i, customers c where c.app_id = i.app_id and i.app_id = o.app_id and o.app_id = $1',
    ],
    ['joins by USING', 'select 1 from orders join items using (app_id) where app_id = $1'],
    ['left joins', 'select 1 from orders o left join items i on i.app_id = o.app_id where o.app_id = $1'],
    [
      'full joins two queries',
      'select 1 from (select id from orders where app_id = $1) o full join (select id from items where app_id = $1) i using (id)',
    ],
    ['joins its app', 'select 1 from apps a join orders o on o.app_id = a.id where a.id = $1'],
    [
      'renames the app in a subquery',
      'select 1 from (select app_id as shop from orders where app_id = $1) o join items i on i.app_id = o.shop',
    ],
    [
      'joins laterally',
      'select 1 from orders o, lateral (select 1 from items where app_id = $1 limit 1) i where o.app_id = $1',
    ],
    [
      'has in with a subquery',
      'select 1 from orders where (app_id, id) in (select app_id, order_id from items where app_id = $1)',
    ],
    [
      'equals a scalar subquery',
      'select 1 from orders where app_id = (select app_id from items where app_id = $1 limit 1)',
    ],
    [
      'joins a CTE with column aliases',
      'with o (a, b) as (select app_id, id from orders where app_id = $1) select 1 from items i, o where i.app_id = o.a',
    ],
    [
      'recurses',
      'with recursive o as (select id from orders where app_id = $1 union select i.order_id from items i join o on o.id = i.id where i.app_id = $1) select 1 from o',
    ],
    [
      'joins an array of the app',
      'select 1 from unnest($2::bigint[]) as u (app_id) join orders o on o.app_id = u.app_id where u.app_id = $1',
    ],
    [
      'joins JSON of the app',
      'select 1 from json_to_recordset($2) as r (app_id bigint) join orders o on o.app_id = r.app_id where r.app_id = $1',
    ],
    [
      'joins a union',
      'select 1 from (select app_id from orders where app_id = $1 union select app_id from items where app_id = $1) x join customers c on c.app_id = x.app_id',
    ],
    ['inserts', 'insert into orders (app_id, total) values ($1, $2)'],
    [
      'inserts from JSON',
      'insert into orders (app_id, total) select $1, total from json_to_recordset($2) as r (total bigint)',
    ],
    [
      'upserts',
      'insert into orders as o (app_id, id) values ($1, $2) on conflict (app_id, id) do update set total = excluded.total where o.total > 1',
    ],
    [
      'joins inserted rows',
      'with o as (insert into orders (app_id) values ($1) returning app_id, id) insert into items (app_id, order_id) select app_id, id from o',
    ],
    [
      'updates from a join',
      'update orders o set total = i.qty from items i where o.app_id = $1 and i.app_id = o.app_id',
    ],
    ['deletes by a join', 'delete from orders o using items i where i.app_id = $1 and o.app_id = i.app_id'],
    ['lists apps', 'select id from apps where name = $1'],
    ['reads no table of the service', 'select 1 from pg_class, graphile_worker.orders'],
    ['begins a transaction', 'begin'],
  ])('accepts a statement that %s', (_, text) => {
    expect(checkStatement(text)).toEqual([]);
  });
});

const ORDERS = ['orders is not tied to the app'];
const ORDERS_AS_O = ['orders as o is not tied to the app'];
const ITEMS = ['items is not tied to the app'];
const ITEMS_AS_I = ['items as i is not tied to the app'];

describe('the rule that a statement reads one app only', () => {
  it.each([
    ['names no app', 'select * from orders', ORDERS],
    ['has an alternative without the app', 'select id from orders where app_id = $1 or id = $2', ORDERS],
    ['has a list of apps', 'select id from orders where app_id in ($1, $2)', ORDERS],
    ['has rows of two apps', 'select id from orders where (app_id, id) in (($1, $2), ($3, $4))', ORDERS],
    ['has an array of apps', 'select id from orders where app_id = any($1)', ORDERS],
    ['excludes an app', 'select id from orders where app_id <> $1', ORDERS],
    ['compares the app with another column', 'select id from orders where app_id = total', ORDERS],
    ['joins by id alone', 'select 1 from orders o join items i on i.order_id = o.id where o.app_id = $1', ITEMS_AS_I],
    [
      'joins two tables without the app',
      'select 1 from orders o join items i on i.app_id = o.app_id',
      [...ORDERS_AS_O, ...ITEMS_AS_I],
    ],
    [
      'names the app in the condition of a left join only',
      'select 1 from orders o left join items i on i.app_id = o.app_id and o.app_id = $1',
      [...ORDERS_AS_O, ...ITEMS_AS_I],
    ],
    ['joins naturally', 'select 1 from orders o natural join items i where o.app_id = $1', ITEMS_AS_I],
    ['joins all apps', 'select 1 from apps a join orders o on o.app_id = a.id', ORDERS_AS_O],
    [
      'names the app outside a subquery only',
      'select 1 from (select app_id, id from orders limit 1) o where o.app_id = $1',
      ORDERS,
    ],
    [
      'renames an id to app_id',
      'select 1 from (select id as app_id from orders where app_id = $1) x join items i on i.app_id = x.app_id',
      ITEMS_AS_I,
    ],
    [
      'joins laterally by the app of the outer query',
      'select 1 from orders o, lateral (select 1 from items where app_id = o.app_id limit 1) i where o.app_id = $1',
      ITEMS,
    ],
    [
      'names the app inside exists only',
      'select 1 from orders o where exists (select from items i where i.app_id = $1 and i.app_id = o.app_id)',
      ORDERS_AS_O,
    ],
    [
      'names the outer app inside not exists only',
      'select 1 from orders o where not exists (select from items i where i.app_id = $1 and o.app_id = $1)',
      ORDERS_AS_O,
    ],
    [
      'has ids in a subquery',
      'select 1 from orders where id in (select order_id from items where app_id = $1)',
      ORDERS,
    ],
    [
      'has not in with a subquery',
      'select 1 from orders where (app_id, id) not in (select app_id, order_id from items where app_id = $1)',
      ORDERS,
    ],
    ['sorts by a subquery', 'select id from orders o where app_id = $1 order by (select max(qty) from items)', ITEMS],
    ['has a function of a subquery', 'select 1 from unnest(array(select id from orders)) as u (id)', ORDERS],
    [
      'joins an array of apps',
      'select 1 from unnest($1::bigint[]) as u (app_id) join orders o on o.app_id = u.app_id',
      ORDERS_AS_O,
    ],
    [
      'reads records of unknown columns',
      'select 1 from orders o where app_id = $1 and exists (select from items i, json_populate_recordset(null::orders, $2) o where i.app_id = o.app_id)',
      ITEMS_AS_I,
    ],
    [
      'joins a second reference to a CTE',
      'with u as (select unnest($2::bigint[]) as app_id) select 1 from u a, u b, orders o where a.app_id = $1 and o.app_id = b.app_id',
      ORDERS_AS_O,
    ],
    [
      'joins values',
      'select 1 from (values ($1::bigint), ($2)) as v (app_id) join orders o using (app_id)',
      ORDERS_AS_O,
    ],
    ['has a CTE of all apps', 'with o as (select id from orders) select id from o', ORDERS],
    [
      'has a nested CTE named as a table',
      'select 1 from (with orders as (select 1) select * from orders) x, orders o',
      ORDERS_AS_O,
    ],
    [
      'recurses',
      'with recursive o as (select app_id, id from orders where app_id = $1 union select i.app_id, i.order_id from items i join o on o.app_id = i.app_id) select 1 from o',
      ITEMS_AS_I,
    ],
    ['has a union with another app', 'select id from orders where app_id = $1 union all select id from items', ITEMS],
    [
      'inserts without the app',
      'insert into orders (total) values ($1)',
      ['orders gets rows without app_id', ...ORDERS],
    ],
    ['inserts two apps', 'insert into orders (app_id) values ($1), ($2)', ORDERS],
    [
      'inserts apps from JSON',
      'insert into orders (app_id) select app_id from json_to_recordset($1) as r (app_id bigint)',
      ORDERS,
    ],
    [
      'inserts for a new app',
      'with a as (insert into apps (name) values ($1) returning id) insert into orders (app_id) select id from a',
      [...ORDERS, 'apps is written in a part of the statement'],
    ],
    [
      'upserts app_id',
      'insert into orders (app_id, id) values ($1, $2) on conflict (app_id, id) do update set app_id = $3',
      ['orders changes app_id'],
    ],
    ['updates all', 'update orders set total = 1', ORDERS],
    [
      'updates from rows of any app',
      'update orders o set total = i.qty from items i where o.app_id = $1 and i.order_id = o.id',
      ITEMS_AS_I,
    ],
    ['updates app_id', 'update orders set app_id = $2 where app_id = $1', ['orders changes app_id']],
    [
      'deletes in a CTE',
      'with gone as (delete from orders returning id) select 1 from items where app_id = $1',
      ORDERS,
    ],
    [
      'merges',
      'merge into orders o using items i on i.app_id = o.app_id and o.app_id = $1 when matched then delete',
      ['orders is named in a statement that cannot be read', 'items is named in a statement that cannot be read'],
    ],
    ['truncates', 'truncate orders', ['orders is named in a statement that cannot be read']],
    ['is the second of two', 'select 1; delete from orders', ORDERS],
  ])('refuses a statement that %s', (_, text, expected) => {
    expect(checkStatement(text)).toEqual(expected);
  });
});

describe('a statement that writes to a table of which every node has a copy', () => {
  it.each([
    'delete from apps where id = $1 and id in (select id from apps where name = $2)',
    'insert into apps (name) values ($1) returning id',
    'update apps set name = $2 where id = $1',
  ])('may have no other part that writes: %s', (text) => {
    expect(checkStatement(text)).toEqual([]);
  });

  it.each([
    [
      'with gone as (delete from apps where id = $1 returning id) delete from orders where app_id = $1 and id in (select id from gone)',
      'apps is written in a part of the statement',
    ],
    [
      'with added as (insert into apps (name) values ($1) returning id) select id from added',
      'apps is written in a part of the statement',
    ],
  ])('is refused otherwise: %s', (text, breach) => {
    expect(checkStatement(text)).toEqual([breach]);
  });
});

describe('a statement that is marked as across apps', () => {
  const SELECT_DUE = '/* across apps: orders that are due */ select app_id, id from orders where total > $1';

  it('may read records of all apps', () => {
    expect(checkStatement(SELECT_DUE)).toEqual([]);
    expect(checkStatement(SELECT_DUE.replace('/* across apps: orders that are due */', ''))).toEqual(ORDERS);
  });

  it.each([
    ['locks', `${SELECT_DUE} for update skip locked`],
    ['locks in a CTE', `/* across apps: x */ with due as (select id from orders for key share) select id from due`],
    ['updates', '/* across apps: x */ update orders set total = 1'],
    ['inserts', '/* across apps: x */ insert into orders (app_id) select id from apps'],
    ['deletes in a CTE', '/* across apps: x */ with gone as (delete from orders returning id) select id from gone'],
  ])('is refused when it %s', (_, text) => {
    expect(checkStatement(text)).toEqual(['goes across apps, and locks or writes']);
  });

  it('must read several apps and name its purpose', () => {
    expect(checkStatement(`/* across apps: x */ select 1 from orders where app_id = $1`)).toEqual([
      'says that it goes across apps, but does not',
    ]);
    expect(checkStatement('/* across apps */ select 1 from orders')).toEqual(ORDERS);
  });
});

describe('the statements of the service that are marked as across apps', () => {
  const root = resolve(import.meta.dirname, '../../..');
  const sources = ['apps/api/src', 'packages/database-postgres/src'].map((folder) => join(root, folder));
  const isOfService = (file: string): boolean => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file);

  it('match this list', () => {
    const statements = sources.flatMap((source) =>
      readdirSync(source, { recursive: true, encoding: 'utf8' })
        .filter(isOfService)
        .flatMap((file) => {
          const marks = readFileSync(join(source, file), 'utf8').matchAll(new RegExp(ACROSS_APPS, 'g'));
          return [...marks].map(([, purpose]) => `${file}: ${purpose}`);
        }),
    );
    expect(statements.sort()).toEqual([
      'apps/sql-access-tokens.ts: tokens that do not name their app',
      'apps/sql-apps.ts: the list of apps',
      'apps/sql-audit-log.ts: expired entries of the audit log',
      'checkout/evaluation-statements.ts: evaluations of another app',
      'checkout/evaluation-statements.ts: evaluations that became no proforma',
      'events/sql-event-feed.ts: how long apps keep events',
      'idempotency/sql-keyed-calls.ts: expired keys',
      'media/files/file-version-statements.ts: apps with expired versions',
      'media/files/sql-media-files.ts: apps that hide unused files',
      'media/files/sql-media-trash.ts: apps with expired files in Trash',
      'media/files/sql-upload-receipts.ts: stale uploads',
      'media/processing/media-jobs.ts: pending files without a job',
      'proformas/proforma-statements.ts: due proformas',
      'proformas/sql-refund-queue.ts: due refunds',
      'sessions/sql-sessions.ts: sessions that ended long ago',
      'sql-backlog.ts: waiting work',
      'webhooks/sql-webhook-queue.ts: endpoints of webhooks that are due',
      'webhooks/sql-webhook-queue.ts: how far endpoints of webhooks are behind',
    ]);
  });
});

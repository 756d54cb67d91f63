import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ACROSS_APPS, breachesOf, loadGrammar } from './one-app-rule.js';

const TABLES = new Map([
  ['apps', ['id', 'name']],
  ['access_tokens', ['app_id', 'id', 'hash']],
  ['orders', ['app_id', 'id', 'customer_id', 'total']],
  ['items', ['app_id', 'id', 'order_id', 'qty']],
  ['customers', ['app_id', 'id', 'email']],
]);

beforeAll(loadGrammar);

const breaches = (text: string): string[] => breachesOf(text, TABLES);

describe('a statement of one app', () => {
  it.each([
    ['names the app', 'select * from orders where app_id = $1 and id = $2'],
    ['names it the other way round', 'select * from orders where $1 = app_id'],
    ['names it under another name', 'select o.id from orders as o where o.app_id = $1'],
    ['names the schema as well', 'select id from public.orders where orders.app_id = $1'],
    ['has a type for it', 'select id from orders where app_id = $1::bigint'],
    ['has a constant for it', 'select id from orders where app_id = 7'],
    ['compares a row', 'select id from orders where (app_id, id) = ($1, $2)'],
    ['is in a list of one', 'select id from orders where app_id in ($1)'],
    ['is in a list of rows of it', 'select id from orders where (app_id, id) in (($1, $2), ($1, $3))'],
    ['names it in each alternative', 'select id from orders where app_id = $1 and id = 1 or app_id = $1 and id = 2'],
    ['names it beside alternatives', 'select id from orders where (id = 1 or id = 2) and app_id = $1'],
    ['locks', 'select id from orders where app_id = $1 for update skip locked'],
    ['renames columns', 'select id from orders as o (shop) where shop = $1'],

    ['joins', 'select 1 from orders o join items i on i.app_id = o.app_id and i.order_id = o.id where o.app_id = $1'],
    ['names it for the table joined', 'select 1 from orders o join items i on i.app_id = o.app_id where i.app_id = $1'],
    ['joins with a comma', 'select 1 from orders o, items i where o.app_id = $1 and i.app_id = o.app_id'],
    ['joins by rows', 'select 1 from orders o, items i where o.app_id = $1 and (i.app_id, i.id) = (o.app_id, o.id)'],
    [
      'joins through a third',
      'select 1 from orders o, items i, customers c where c.app_id = i.app_id and i.app_id = o.app_id and o.app_id = $1',
    ],
    ['joins by USING', 'select 1 from orders join items using (app_id) where app_id = $1'],
    ['joins by USING, and names one', 'select 1 from orders o join items using (app_id, id) where o.app_id = $1'],
    ['names it in the condition of a join', 'select 1 from orders o join items i on i.app_id = $1 and o.app_id = $1'],
    [
      'joins what may be missing',
      'select 1 from orders o left join items i on i.app_id = o.app_id where o.app_id = $1',
    ],
    [
      'joins what may be missing by USING',
      'select 1 from orders o left join items i using (app_id) where o.app_id = $1',
    ],
    [
      'joins what may be missing, on the left',
      'select 1 from items i right join orders o on i.app_id = o.app_id where o.app_id = $1',
    ],
    [
      'joins several that may be missing',
      'select 1 from orders o left join (items i join customers c on c.app_id = i.app_id) on i.app_id = o.app_id where o.app_id = $1',
    ],
    [
      'joins two queries, each in full',
      'select 1 from (select id from orders where app_id = $1) o full join (select id from items where app_id = $1) i using (id)',
    ],
    ['joins its app', 'select 1 from apps a join orders o on o.app_id = a.id where a.id = $1'],

    ['asks a query', 'select id from (select id from orders where app_id = $1) as o'],
    [
      'asks a query for the app',
      'select 1 from (select app_id as shop from orders where app_id = $1) o join items i on i.app_id = o.shop',
    ],
    [
      'asks a query for everything',
      'select 1 from (select * from orders where app_id = $1) o join items i on i.app_id = o.app_id',
    ],
    [
      'asks a query for everything of one table',
      'select 1 from (select o.* from apps a, orders o where o.app_id = $1) o join items i on i.app_id = o.app_id',
    ],
    [
      'asks a query for the app with a type',
      'select 1 from (select app_id::int from orders where app_id = $1) o join items i on i.app_id = o.app_id',
    ],
    [
      'asks a query with names of its own',
      'select 1 from (select app_id, id from orders where app_id = $1) o (a, b) join items i on i.app_id = a',
    ],
    [
      'asks beside each row',
      'select 1 from orders o, lateral (select 1 from items where app_id = o.app_id limit 1) i where o.app_id = $1',
    ],
    [
      'asks within a row',
      'select (select count(*) from items i where i.app_id = o.app_id) from orders o where app_id = $1',
    ],
    ['asks whether', 'select 1 from orders o where app_id = $1 and exists (select from items where app_id = o.app_id)'],
    [
      'asks whether not',
      'select 1 from orders o where app_id = $1 and not exists (select from items i where i.app_id = $1)',
    ],
    [
      'is among what a query finds',
      'select 1 from orders where (app_id, id) in (select app_id, order_id from items where app_id = $1)',
    ],
    [
      'is any of what a query finds',
      'select 1 from orders where app_id = any (select app_id from items where app_id = $1)',
    ],
    [
      'is the one that a query finds',
      'select 1 from orders where app_id = (select app_id from items where app_id = $1 limit 1)',
    ],
    [
      'is the row that a query finds',
      'select 1 from orders where (app_id, id) = (select app_id, order_id from items where app_id = $1)',
    ],
    [
      'asks in order to sort',
      'select id from orders o where app_id = $1 order by (select max(qty) from items where app_id = $1)',
    ],
    [
      'asks in order to group',
      'select 1 from orders where app_id = $1 group by id having id > (select max(id) from items where app_id = $1)',
    ],
    ['asks a function about it', 'select 1 from unnest(array(select id from orders where app_id = $1)) as u (id)'],

    ['has a query of a name', 'with o as (select id from orders where app_id = $1) select id from o'],
    [
      'goes by a query of a name',
      'with o as (select app_id, id from orders where app_id = $1) select 1 from items i join o on i.app_id = o.app_id',
    ],
    [
      'goes by two in a row',
      'with o as (select app_id from orders where app_id = $1), p as (select * from o) select 1 from items i join p using (app_id)',
    ],
    [
      'goes by a query with names of its own',
      'with o (a, b) as (select app_id, id from orders where app_id = $1) select 1 from items i, o where i.app_id = o.a',
    ],
    ['has a query with the name of a table', 'with orders as (select $1::bigint as id) select id from orders'],
    [
      'has the app in a query',
      'with app as (select $1::bigint as id) select 1 from orders where app_id = (select id from app)',
    ],
    [
      'goes from record to record',
      'with recursive o as (select id from orders where app_id = $1 union select i.order_id from items i join o on o.id = i.id where i.app_id = $1) select 1 from o',
    ],

    [
      'goes from record to record under the name of a table',
      'with recursive orders as (select $1::bigint as id union select i.order_id from items i join orders on orders.id = i.id where i.app_id = $1) select 1 from orders',
    ],
    [
      'goes by what comes as an array, of the app',
      'select 1 from unnest($2::bigint[]) as u (app_id) join orders o on o.app_id = u.app_id where u.app_id = $1',
    ],
    [
      'goes by what comes as JSON, of the app',
      'select 1 from json_to_recordset($2) as r (app_id bigint) join orders o on o.app_id = r.app_id where r.app_id = $1',
    ],
    ['adds up two', 'select id from orders where app_id = $1 union all select id from items where app_id = $1'],
    [
      'goes by the sum of two',
      'select 1 from (select app_id from orders where app_id = $1 union select app_id from items where app_id = $1) x join customers c on c.app_id = x.app_id',
    ],
    ['subtracts', 'select id from orders where app_id = $1 except select order_id from items where app_id = $1'],

    ['writes', 'insert into orders (app_id, total) values ($1, $2)'],
    ['writes several', 'insert into orders (app_id, total) values ($1, $2), ($1, $3) returning id'],
    [
      'writes what comes as JSON',
      'insert into orders (app_id, total) select $1, total from json_to_recordset($2) as r (total bigint)',
    ],
    ['writes what it has read', 'insert into items (app_id, order_id) select app_id, id from orders where app_id = $1'],
    [
      'writes, or else changes',
      'insert into orders as o (app_id, id) values ($1, $2) on conflict (app_id, id) do update set total = excluded.total where o.total > 1',
    ],
    [
      'writes, or else asks',
      'insert into orders (app_id, id) values ($1, $2) on conflict (app_id, id) do update set total = (select sum(qty) from items where app_id = excluded.app_id)',
    ],
    [
      'goes by what it has written',
      'with o as (insert into orders (app_id) values ($1) returning app_id, id) insert into items (app_id, order_id) select app_id, id from o',
    ],
    ['changes', 'update orders set total = 1 where app_id = $1'],
    [
      'changes from others',
      'update orders o set total = i.qty from items i where o.app_id = $1 and i.app_id = o.app_id',
    ],
    [
      'changes what it has asked for',
      'update orders set total = (select sum(qty) from items where app_id = $1) where app_id = $1',
    ],
    [
      'goes by what it has changed',
      'with o as (update orders set total = 1 where app_id = $1 returning *) select 1 from items i join o using (app_id)',
    ],
    ['removes', 'delete from orders where app_id = $1 and id = any($2)'],
    ['removes by others', 'delete from orders o using items i where i.app_id = $1 and o.app_id = i.app_id'],

    ['looks a token up', 'select app_id from access_tokens where hash = $1'],
    ['makes an app', 'insert into apps (name) values ($1)'],
    ['knows no table of ours', 'select 1 from pg_class, graphile_worker.orders'],
    ['begins', 'begin'],
    ['sets', 'set lock_timeout = 1'],
  ])('that %s keeps the rule', (_, text) => {
    expect(breaches(text)).toEqual([]);
  });
});

const ORDERS = ['orders is not tied to the app'];
const O = ['orders as o is not tied to the app'];
const ITEMS = ['items is not tied to the app'];
const I = ['items as i is not tied to the app'];

describe('a statement that', () => {
  it.each([
    ['names no app', 'select * from orders', ORDERS],
    ['goes by id alone', 'select * from orders where id = $1', ORDERS],
    ['leaves the app open', 'select id from orders where app_id = $1 or id = $2', ORDERS],
    ['has another app in each alternative', 'select id from orders where app_id = $1 or app_id = $2', ORDERS],
    ['takes a list of apps', 'select id from orders where app_id in ($1, $2)', ORDERS],
    ['takes rows of two apps', 'select id from orders where (app_id, id) in (($1, $2), ($3, $4))', ORDERS],
    ['takes an array of apps', 'select id from orders where app_id = any($1)', ORDERS],
    ['takes all apps but one', 'select id from orders where app_id <> $1', ORDERS],
    ['takes all but a list of one', 'select id from orders where app_id not in ($1)', ORDERS],
    ['takes all but one, said otherwise', 'select id from orders where not (app_id = $1)', ORDERS],
    ['takes those from an app on', 'select id from orders where app_id >= $1', ORDERS],
    ['mentions the app in passing', 'select app_id = $1 from orders', ORDERS],
    ['compares the app with something of the record', 'select id from orders where app_id = total', ORDERS],
    ['compares the app with itself', 'select id from orders where app_id = app_id', ORDERS],
    ['reckons with the app', 'select id from orders where app_id = $1 + total', ORDERS],
    ['compares something else', 'select id from orders where (id, app_id) = ($1, total)', ORDERS],
    ['groups by app', 'select app_id from orders group by app_id having app_id = $1', ORDERS],
    ['takes the whole table', 'table orders', ORDERS],
    ['takes a sample', 'select id from orders tablesample system (1)', ORDERS],

    ['joins by id alone', 'select 1 from orders o join items i on i.order_id = o.id where o.app_id = $1', I],
    ['joins two that only have each other', 'select 1 from orders o join items i on i.app_id = o.app_id', [...O, ...I]],
    ['names the app of the other one', 'select 1 from orders o, items i where i.app_id = $1', O],
    ['has two apps', 'select 1 from orders o, items i where o.app_id = $1 and i.app_id = $2', I],
    ['joins by USING the id', 'select 1 from orders o join items i using (id) where o.app_id = $1', I],
    [
      'keeps what an outer join adds',
      'select 1 from orders o left join items i on i.app_id = o.app_id and o.app_id = $1',
      [...O, ...I],
    ],
    [
      'goes by what may be missing',
      'select 1 from orders o left join (select * from items where app_id = $1) i on i.app_id = o.app_id',
      O,
    ],
    [
      'goes by what may be missing, by USING',
      'select 1 from (select * from items where app_id = $1) i right join orders o using (app_id)',
      O,
    ],
    [
      'joins all with all',
      'select 1 from orders o full join items i on i.app_id = o.app_id and o.app_id = $1 and i.app_id = $1',
      [...O, ...I],
    ],
    ['joins by whatever columns are alike', 'select 1 from orders o natural join items i where o.app_id = $1', I],
    ['joins all apps', 'select 1 from apps a join orders o on o.app_id = a.id', O],
    ['goes by a token', 'select 1 from access_tokens t join orders o on o.app_id = t.app_id where t.hash = $1', O],

    [
      'asks a query, and only then for the app',
      'select 1 from (select app_id, id from orders limit 1) o where o.app_id = $1',
      ORDERS,
    ],
    [
      'asks a query for something else',
      'select 1 from (select id as app_id from orders where app_id = $1) x join items i on i.app_id = x.app_id',
      I,
    ],
    [
      'asks a query that reckons',
      'select 1 from (select max(app_id) as app_id from orders where app_id = $1) x join items i on i.app_id = x.app_id',
      I,
    ],
    [
      'mistakes whose app it is',
      'select 1 from orders o where o.app_id = $1 and exists (select from items i, (select id::int as app_id from customers where app_id = $1) c where i.app_id = c.app_id)',
      I,
    ],
    [
      'asks about any app beside each row',
      'select 1 from orders o, lateral (select 1 from items where order_id = o.id) i where o.app_id = $1',
      ITEMS,
    ],
    [
      'asks about any app within a row',
      'select (select count(*) from items i where i.order_id = o.id) from orders o where app_id = $1',
      I,
    ],
    [
      'asks only within for the app',
      'select 1 from orders o where exists (select from items i where i.app_id = $1 and i.app_id = o.app_id)',
      O,
    ],
    [
      'asks only within, and means the other',
      'select 1 from orders o where not exists (select from items i where i.app_id = $1 and o.app_id = $1)',
      O,
    ],
    [
      'is among ids that a query finds',
      'select 1 from orders where id in (select order_id from items where app_id = $1)',
      ORDERS,
    ],
    [
      'is not among what a query finds',
      'select 1 from orders where (app_id, id) not in (select app_id, order_id from items where app_id = $1)',
      ORDERS,
    ],
    [
      'is at most what a query finds',
      'select 1 from orders where app_id <= any (select app_id from items where app_id = $1)',
      ORDERS,
    ],
    [
      'is above all that a query finds',
      'select 1 from orders where app_id = all (select app_id from items where app_id = $1)',
      ORDERS,
    ],
    ['asks in order to sort', 'select id from orders o where app_id = $1 order by (select max(qty) from items)', ITEMS],
    ['asks in order to limit', 'select id from orders o where app_id = $1 limit (select max(qty) from items)', ITEMS],
    ['asks a function', 'select 1 from unnest(array(select id from orders)) as u (id)', ORDERS],
    [
      'asks a condition of a join',
      'select 1 from customers c join orders o on o.app_id = c.app_id and o.id in (select order_id from items) where c.app_id = $1',
      ITEMS,
    ],
    [
      'goes by what comes as an array',
      'select 1 from unnest($1::bigint[]) as u (app_id) join orders o on o.app_id = u.app_id',
      O,
    ],
    [
      'goes by what comes as JSON',
      'select 1 from json_to_recordset($1) as r (app_id bigint) join orders o using (app_id)',
      O,
    ],
    [
      'goes by records of unknown columns',
      'select 1 from orders o where app_id = $1 and exists (select from items i, json_populate_recordset(null::orders, $2) o where i.app_id = o.app_id)',
      I,
    ],
    [
      'goes by another look at the same query',
      'with u as (select unnest($2::bigint[]) as app_id) select 1 from u a, u b, orders o where a.app_id = $1 and o.app_id = b.app_id',
      O,
    ],
    [
      'asks whether, in a condition of a join',
      'select 1 from customers c join orders o on o.app_id = c.app_id and exists (select from items) where c.app_id = $1',
      ITEMS,
    ],
    ['asks in a list', 'values (exists (select from orders))', ORDERS],
    [
      'asks in order to limit a sum',
      'select 1 from orders where app_id = $1 union select 2 limit (select max(qty) from items)',
      ITEMS,
    ],
    ['goes by a list', 'select 1 from (values ($1::bigint), ($2)) as v (app_id) join orders o using (app_id)', O],

    ['has a query of a name for all apps', 'with o as (select id from orders) select id from o', ORDERS],
    [
      'names the app of a query only outside',
      'with o as (select app_id, id from orders) select id from o where app_id = $1',
      ORDERS,
    ],
    [
      'has a query with the name of a table, elsewhere',
      'select 1 from (with orders as (select 1) select * from orders) x, orders o',
      O,
    ],
    ['means the table by its schema', 'with orders as (select 1) select 1 from public.orders', ORDERS],
    [
      'goes from record to record',
      'with recursive o as (select app_id, id from orders where app_id = $1 union select i.app_id, i.order_id from items i join o on o.app_id = i.app_id) select 1 from o',
      I,
    ],
    ['adds up one that is open', 'select id from orders where app_id = $1 union all select id from items', ITEMS],
    [
      'goes by the sum of an open one',
      'select 1 from (select app_id from orders where app_id = $1 union select id from items where app_id = $1) x join customers c on c.app_id = x.app_id',
      ['customers as c is not tied to the app'],
    ],

    ['writes for no app', 'insert into orders (total) values ($1)', ['orders gets rows without app_id', ...ORDERS]],
    [
      'writes columns in their order',
      'insert into orders values ($1, $2)',
      ['orders gets rows without app_id', ...ORDERS],
    ],
    [
      'writes nothing but defaults',
      'insert into orders default values',
      ['orders gets rows without app_id', ...ORDERS],
    ],
    ['writes for a default app', 'insert into orders (app_id) values (default)', ORDERS],
    ['writes for two apps', 'insert into orders (app_id) values ($1), ($2)', ORDERS],
    ['writes for the app and for a default one', 'insert into orders (app_id) values ($1), (default)', ORDERS],
    [
      'writes for apps that come as JSON',
      'insert into orders (app_id) select app_id from json_to_recordset($1) as r (app_id bigint)',
      ORDERS,
    ],
    [
      'writes for the app that it makes',
      'with a as (insert into apps (name) values ($1) returning id) insert into orders (app_id) select id from a',
      ORDERS,
    ],
    ['writes what it has read of any app', 'insert into items (app_id, order_id) select $1, id from orders', ORDERS],
    [
      'writes, or else moves',
      'insert into orders (app_id, id) values ($1, $2) on conflict (app_id, id) do update set app_id = $3',
      ['orders changes app_id'],
    ],
    [
      'writes, or else asks',
      'insert into orders (app_id, id) values ($1, $2) on conflict (app_id, id) do update set total = (select sum(qty) from items)',
      ITEMS,
    ],
    [
      'answers with what it asks',
      'insert into orders (app_id) values ($1) returning (select max(qty) from items)',
      ITEMS,
    ],
    ['changes all', 'update orders set total = 1', ORDERS],
    [
      'changes by others of any app',
      'update orders o set total = i.qty from items i where o.app_id = $1 and i.order_id = o.id',
      I,
    ],
    [
      'changes any app by one',
      'update orders o set total = 1 from items i where i.app_id = $1 and i.order_id = o.id',
      O,
    ],
    [
      'changes the table in spite of a query of its name',
      'with orders as (select id from items where app_id = $1) update orders set total = 1',
      ORDERS,
    ],
    ['moves to another app', 'update orders set app_id = $2 where app_id = $1', ['orders changes app_id']],
    ['removes all', 'delete from orders', ORDERS],
    ['removes by others', 'delete from orders o using items i where o.id = i.order_id and i.app_id = $1', O],
    [
      'removes in passing',
      'with gone as (delete from orders returning id) select 1 from items where app_id = $1',
      ORDERS,
    ],

    [
      'merges',
      'merge into orders o using items i on i.app_id = o.app_id and o.app_id = $1 when matched then delete',
      ['orders is named in a statement that cannot be read', 'items is named in a statement that cannot be read'],
    ],
    ['empties', 'truncate orders', ['orders is named in a statement that cannot be read']],
    ['locks the table', 'lock table orders', ['orders is named in a statement that cannot be read']],
    ['is the second of two', 'select 1; delete from orders', ORDERS],
  ])('%s breaks the rule', (_, text, found) => {
    expect(breaches(text)).toEqual(found);
  });
});

describe('a statement that says it goes across apps', () => {
  const DUE = '/* across apps: orders that are due */ select app_id, id from orders where total > $1';

  it('may', () => {
    expect(breaches(DUE)).toEqual([]);
    expect(breaches(DUE.replace('/* across apps: orders that are due */', ''))).toEqual(ORDERS);
  });

  it.each([
    ['locks', `${DUE} for update skip locked`],
    ['locks within', `/* across apps: x */ with due as (select id from orders for key share) select id from due`],
    ['changes', '/* across apps: x */ update orders set total = 1'],
    ['writes', '/* across apps: x */ insert into orders (app_id) select id from apps'],
    ['removes within', '/* across apps: x */ with gone as (delete from orders returning id) select id from gone'],
  ])('must not when it %s', (_, text) => {
    expect(breaches(text)).toEqual(['goes across apps, and locks or writes']);
  });

  it('must do so, and say what for', () => {
    expect(breaches(`/* across apps: x */ select 1 from orders where app_id = $1`)).toEqual([
      'says that it goes across apps, but does not',
    ]);
    expect(breaches('/* across apps */ select 1 from orders')).toEqual(ORDERS);
  });
});

describe('the statements of the service that go across apps', () => {
  const source = resolve(import.meta.dirname, '..');
  const isOfService = (file: string): boolean => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file);

  it('are these few', () => {
    const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter(isOfService)
      .flatMap((file) => {
        const marks = readFileSync(join(source, file), 'utf8').matchAll(new RegExp(ACROSS_APPS, 'g'));
        return [...marks].map(([, purpose]) => `${file}: ${purpose}`);
      });
    expect(found.sort()).toEqual([
      'checkout/evaluation-statements.query.ts: evaluations that another app has made',
      'idempotency/typeorm-keyed-calls.ts: keys that are forgotten',
      'media/file-versions.query.ts: apps with kept versions whose time is over',
      'media/media-jobs.query.ts: files that wait for a job that is gone',
      'media/typeorm-media-receipts.ts: uploads that have died',
      'media/typeorm-media-trash.ts: apps with files whose time in Trash is over',
      'proformas/proforma-statements.query.ts: proformas that are due',
      'proformas/typeorm-refund-queue.ts: refunds that are due',
    ]);
  });
});

import { summarize } from './statement-summary.js';

describe('the summary of a statement', () => {
  it.each([
    ['select 1', 'SELECT', undefined],
    ['  SELECT id FROM orders WHERE id = $1', 'SELECT', 'orders'],
    ['insert into item (id) values ($1)', 'INSERT', 'item'],
    ['update item set n = 1', 'UPDATE', 'item'],
    ['delete from item', 'DELETE', 'item'],
    ['COMMIT', 'COMMIT', undefined],
    ['', 'STATEMENT', undefined],
    ['select * from item where id = $1 for update', 'SELECT', 'item'],
    ['select * from item for no key update', 'SELECT', 'item'],
    ['insert into item (id) values ($1) on conflict (id) do update set n = 2', 'INSERT', 'item'],
    ['with page as (select id from orders) select * from page', 'SELECT', 'orders'],
    ['with added as (insert into item (id) values ($1) returning id) select id from added', 'INSERT', 'item'],
    ['select json_agg(row) from (select * from orders limit 1) row', 'SELECT', 'orders'],
    ['select * from json_to_recordset($1) as row join orders on true', 'SELECT', undefined],
    ["select 'delete from item' from orders", 'SELECT', 'orders'],
    ['select 1 where $1 is distinct from $2', 'SELECT', undefined],
    ["/* across apps: the shop's work */ select id from orders /* 1 */", 'SELECT', 'orders'],
    ['select extract(epoch from $1 - at) from payments', 'SELECT', 'payments'],
  ])('of %s', (text, operation, table) => {
    expect(summarize(text)).toEqual({ operation, table });
  });
});

import { loadGrammar } from '../testing/one-app-rule.js';
import { findUnversionedChanges } from '../testing/version-rule.js';

beforeAll(loadGrammar);

describe('the rule that a change of a proforma increases its version', () => {
  it.each([
    'update proforma_orders set version = version + 1, tags = $2 where id = $1',
    'update proforma_orders p set tags = r.tags, version = p.version + 1 from r where p.id = r.id',
    'with changed as (update proforma_orders set version = version + 1 returning id) select id from changed',
    'update orders set tags = $2 where id = $1',
    'insert into proforma_orders (tags) values ($1)',
    'insert into proforma_orders (tags) values ($1) on conflict do nothing',
    'select version from proforma_orders for update',
  ])('accepts %s', (text) => {
    expect(findUnversionedChanges(text)).toEqual([]);
  });

  it.each([
    'update proforma_orders set tags = $2 where id = $1',
    'update proforma_orders set version = version, tags = $2 where id = $1',
    'update proforma_orders set version = 1 where id = $1',
    'update proforma_orders set version = version + 0 where id = $1',
    'update proforma_orders set version = case when $1 then version + 1 else version end',
    'update proforma_orders p set version = r.version + 1 from r where p.id = r.id',
    'insert into proforma_orders (tags) values ($1) on conflict (id) do update set tags = $1',
    'merge into proforma_orders p using r on p.id = r.id when matched then update set tags = r.tags',
    'with changed as (update proforma_orders set tags = $2 returning id) select id from changed',
    'with made as (insert into orders (id) values (1)) update public.proforma_orders p set order_id = 1',
  ])('refuses %s', (text) => {
    expect(findUnversionedChanges(text)).toEqual(['proforma_orders keeps its version']);
  });
});

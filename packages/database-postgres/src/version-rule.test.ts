import { loadGrammar } from '../testing/one-app-rule.js';
import { findUnversionedUpdates } from '../testing/version-rule.js';

beforeAll(loadGrammar);

describe('the rule that a change of a proforma increases its version', () => {
  it.each([
    'update proforma_orders set version = version + 1, tags = $2 where id = $1',
    'update proforma_orders p set tags = r.tags, version = p.version + 1 from r where p.id = r.id',
    'with changed as (update proforma_orders set version = version + 1 returning id) select id from changed',
    'update orders set tags = $2 where id = $1',
    'insert into proforma_orders (tags) values ($1)',
    'select version from proforma_orders for update',
  ])('accepts %s', (text) => {
    expect(findUnversionedUpdates(text)).toEqual([]);
  });

  it.each([
    'update proforma_orders set tags = $2 where id = $1',
    'update proforma_orders set version = version, tags = $2 where id = $1',
    'update proforma_orders set version = 1 where id = $1',
    'with changed as (update proforma_orders set tags = $2 returning id) select id from changed',
    'with made as (insert into orders (id) values (1)) update public.proforma_orders p set order_id = 1',
  ])('refuses %s', (text) => {
    expect(findUnversionedUpdates(text)).toEqual(['proforma_orders keeps its version']);
  });
});

import { shardLockFor } from './shard-lock.js';

const parametersOf = (text: string): readonly unknown[] | undefined => shardLockFor('cards', text, [7, 8, 9])?.values;

describe('shardLockFor', () => {
  it('locks the shard of the first table', () => {
    expect(shardLockFor('cards', 'select 1 from orders where app_id = $1', [7])?.text).toContain(
      `get_shard_id_for_distribution_column('cards', $1::bigint)`,
    );
  });

  it.each([
    ['the app', 'select 1 from orders where app_id = $1 and id = $2', [7]],
    ['the app of a table with a short name', 'select 1 from orders o where o.id = $1 and o.app_id = $3', [9]],
    ['no app of a statement without conditions', 'insert into event_feeds (app_id) values ($1)', undefined],
    ['no app of a statement across apps', 'select app_id from payments where next_attempt_at <= $1', undefined],
  ])('takes %s', (_, text, values) => {
    expect(parametersOf(text)).toEqual(values);
  });
});

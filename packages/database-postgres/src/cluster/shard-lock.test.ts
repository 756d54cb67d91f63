import { shardLockFor } from './shard-lock.js';

const parametersOf = (text: string): readonly unknown[] | undefined => shardLockFor('cards', text, [7, 8, 9])?.values;

describe('shardLockFor', () => {
  it('locks the shard of the first table', () => {
    expect(shardLockFor('cards', 'select 1 from orders where app_id = $1', [7])?.text).toContain(
      `get_shard_id_for_distribution_column('cards', $1::bigint)`,
    );
  });

  it.each([
    ['a condition', 'select 1 from orders where app_id = $1 and id = $2', [7]],
    ['a condition with the name of the table', 'select 1 from orders o where o.id = $1 and o.app_id = $3', [9]],
    ['new rows', 'insert into event_feeds (app_id, last_position) values ($2, 0)', [8]],
    [
      'selected rows',
      'insert into cards (app_id, code)\n  select $3, code from json_to_recordset($1) as r (code text)',
      [9],
    ],
  ])('takes the app of %s', (_, text, values) => {
    expect(parametersOf(text)).toEqual(values);
  });

  it.each([
    ['across apps', 'select app_id from payments where next_attempt_at <= $1'],
    ['of settings', `select set_config('lock_timeout', '2s', true)`],
  ])('takes no lock for a statement %s', (_, text) => {
    expect(parametersOf(text)).toBeUndefined();
  });
});

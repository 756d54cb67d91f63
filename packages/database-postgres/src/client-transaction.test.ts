import type { PoolClient, QueryConfig } from 'pg';
import { beginLockedBulk } from './bulk.js';
import { ClientTransaction } from './client-transaction.js';
import { PreparedStatements } from './prepared-statements.js';

/** A transaction on a cluster, whose statements are recorded and return one row each. */
function recordingTransaction(): { readonly transaction: ClientTransaction; readonly texts: string[] } {
  const texts: string[] = [];
  const client = {
    connection: { stream: { cork: () => {}, uncork: () => {} } },
    query: (query: QueryConfig | string) => {
      const text = typeof query === 'string' ? query : query.text;
      texts.push(text);
      return Promise.resolve({ rows: [texts.length], fields: [], command: text });
    },
  };
  const statements = new PreparedStatements();
  statements.adaptToCluster('cards');
  const endMs = performance.now() + 60_000;
  return {
    transaction: new ClientTransaction(client as unknown as PoolClient, statements, endMs, undefined),
    texts,
  };
}

describe('a transaction on a cluster', () => {
  it('locks the shard of the app after the settings of a bulk write, which limit the wait', async () => {
    const { transaction, texts } = recordingTransaction();
    await beginLockedBulk(transaction, 'products', 7, 1);
    const rows = await transaction.rowsOfEach([
      { text: 'select id from cards where app_id = $1', values: [7] },
      { text: 'select name from cards where app_id = $1', values: [7] },
    ]);
    const kinds = ['BEGIN', 'pg_advisory_xact_lock', 'lock_shard_metadata', 'select id', 'select name'];
    expect(texts.map((text) => kinds.find((kind) => text.includes(kind)))).toEqual(kinds);
    expect(rows).toEqual([[4], [5]]);
  });

  it('keeps the order of its last statements when one of them runs in steps', async () => {
    const { transaction, texts } = recordingTransaction();
    const inSteps = `
      with made as (insert into orders (app_id) values ($1) returning id), item as (
        insert into items (app_id, order_id) select $1, made.id from made
      )
      select id from made`;
    await transaction.runAllLast([
      { text: 'update cards set name = 1 where app_id = $1', values: [7] },
      { text: inSteps, values: [7] },
      { text: 'update cards set name = 2 where app_id = $1', values: [7] },
    ]);
    const kinds = ['name = 1', 'insert into orders', 'insert into items', 'select id from', 'name = 2', 'COMMIT'];
    const foundKinds = texts.map((text) => kinds.find((kind) => text.includes(kind)));
    expect(foundKinds.filter((kind) => kind !== undefined)).toEqual(kinds);
  });
});

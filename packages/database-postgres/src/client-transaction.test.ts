import type { PoolClient, QueryConfig } from 'pg';
import { beginLockedBulk } from './bulk.js';
import { ClientTransaction } from './client-transaction.js';
import { PreparedStatements } from './prepared-statements.js';

describe('a transaction on a cluster', () => {
  it('locks the shard of the app after the settings of a bulk write, which limit the wait', async () => {
    const texts: string[] = [];
    const client = {
      connection: { stream: { cork: () => {}, uncork: () => {} } },
      query: (query: QueryConfig | string) => {
        texts.push(typeof query === 'string' ? query : query.text);
        return Promise.resolve({ rows: [texts.length] });
      },
    };
    const statements = new PreparedStatements();
    statements.adaptToCluster('cards');
    const endMs = performance.now() + 60_000;
    const transaction = new ClientTransaction(client as unknown as PoolClient, statements, undefined, endMs, undefined);
    await beginLockedBulk(transaction, 'products', 7, 1);
    const rows = await transaction.rowsOfEach([
      { text: 'select id from cards where app_id = $1', values: [7] },
      { text: 'select name from cards where app_id = $1', values: [7] },
    ]);
    const kinds = ['BEGIN', 'pg_advisory_xact_lock', 'lock_shard_metadata', 'select id', 'select name'];
    expect(texts.map((text) => kinds.find((kind) => text.includes(kind)))).toEqual(kinds);
    expect(rows).toEqual([[4], [5]]);
  });
});

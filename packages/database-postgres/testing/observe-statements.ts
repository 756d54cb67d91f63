import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

/**
 * Calls `onStatement` with each statement that the adapter sends, and the returned function at its end. Leaves out
 * BEGIN, and what TypeORM sends: both are plain texts.
 */
export function observeStatements(source: DataSource, onStatement: (text: string) => (() => unknown) | void): void {
  const { master: pool } = source.driver as unknown as { master: Pool };
  const observed = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (observed.has(client)) return;
    observed.add(client);
    const send = client.query.bind(client) as (...args: unknown[]) => unknown;
    const query = (...args: unknown[]): unknown => {
      const [first] = args;
      const end = typeof first === 'object' ? onStatement((first as { readonly text: string }).text) : undefined;
      const answer = send(...args);
      if (end && answer instanceof Promise) void answer.then(end, end);
      return answer;
    };
    Object.assign(client, { query });
  });
}

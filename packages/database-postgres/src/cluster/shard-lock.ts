import { stepMark } from './step-mark.js';
import type { Query } from '../schema-rules.js';
import type { Statement } from '../sql.js';

const FIND_FIRST_TABLE = `
  select s.logicalrelid::regclass::text as name from pg_dist_shard s join pg_dist_partition p using (logicalrelid)
  where p.partmethod = 'h' order by s.shardid limit 1`;

const SHARE_LOCK_MODE = 5;
const APP_OF_CONDITION = /\bapp_id = \$(\d+)/;
const COLUMNS_OF_INSERT = '(app_id, ';
const APP_OF_ROWS = /(?:values \(|select )\$(\d+)/;

/** Returns the distributed table with the smallest ids of shards; `undefined` before `distribute`. */
export async function findFirstTable(query: Query): Promise<string | undefined> {
  const [table] = (await query(FIND_FIRST_TABLE)) as { name: string }[];
  return table?.name;
}

/**
 * Returns a query that stops Citus from moving the shards of the app of `text` during the transaction. Citus does this
 * itself only for writes. A transaction could otherwise lock rows on the old node, and use values that are no longer
 * current. Citus locks the shards of a move in the order of their ids, so a transaction that locks the first one before
 * all others causes no deadlock.
 */
export function shardLockFor(firstTable: string, text: string, values: readonly unknown[]): Statement | undefined {
  const parameter = APP_OF_CONDITION.exec(text)?.[1] ?? appOfInsert(text);
  if (parameter === undefined) return undefined;
  const shard = `get_shard_id_for_distribution_column('${firstTable}', $1::bigint)`;
  return {
    text: `select lock_shard_metadata(${SHARE_LOCK_MODE}, array[${shard}])${stepMark('lock')}`,
    values: [values[Number(parameter) - 1]],
  };
}

function appOfInsert(text: string): string | undefined {
  const start = text.indexOf(COLUMNS_OF_INSERT);
  return start === -1 ? undefined : APP_OF_ROWS.exec(text.slice(start))?.[1];
}

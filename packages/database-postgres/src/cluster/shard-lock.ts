import { stepMark } from './step-mark.js';
import type { Query } from '../schema-rules.js';

const HAS_SHARDS = `select to_regclass('pg_dist_shard') is not null as "hasShards"`;

const FIND_FIRST_TABLE = `
  select s.logicalrelid::regclass::text as name from pg_dist_shard s join pg_dist_partition p using (logicalrelid)
  where p.partmethod = 'h' order by s.shardid limit 1`;

const SHARE_LOCK_MODE = 5;
const APP_PARAMETER = /\bapp_id = \$(\d+)/;

/** Returns the distributed table with the smallest ids of shards; `undefined` before `distribute`. */
export async function findFirstTable(query: Query): Promise<string | undefined> {
  const [answer] = (await query(HAS_SHARDS)) as { hasShards: boolean }[];
  if (answer?.hasShards !== true) return undefined;
  const [table] = (await query(FIND_FIRST_TABLE)) as { name: string }[];
  return table?.name;
}

/**
 * Returns a query that stops Citus from moving the shards of an app during a transaction that begins with `text`. Citus
 * does this itself only for writes. A transaction could otherwise lock rows on the old node, and go on with values that
 * are no longer current. Citus locks the shards of a move in the order of their ids, so a transaction that locks the
 * first one before all others causes no deadlock.
 */
export function shardLockFor(
  firstTable: string,
  text: string,
  values: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } | undefined {
  const parameter = APP_PARAMETER.exec(text)?.[1];
  if (parameter === undefined) return undefined;
  const shard = `get_shard_id_for_distribution_column('${firstTable}', $1::bigint)`;
  return {
    text: `select lock_shard_metadata(${SHARE_LOCK_MODE}, array[${shard}])${stepMark('lock')}`,
    values: [values[Number(parameter) - 1]],
  };
}

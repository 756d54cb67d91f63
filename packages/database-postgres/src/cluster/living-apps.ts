import { isNodeLost } from '../failures.js';
import type { Query } from '../schema-rules.js';
import { tokensOf } from './common-table-expressions.js';
import { tableTokens } from './tables-read.js';

const FIND_APP_IDS = 'select id from apps order by id';

const FIND_LIVING_APPS = `
  with node as materialized (
    select groupid from pg_dist_node
    where noderole = 'primary' and isactive and citus_check_connection_to_node(nodename, nodeport)
  )
  select coalesce(array_agg(app.id), '{}') as ids
  from unnest($2::bigint[]) as app (id)
  join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column($1, app.id)
  join node using (groupid)`;

const APP_TABLES = `select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'h'`;

const MARK = '/* across apps';
const ALL_APPS_MARK = '/* across apps or fail: ';
const MAX_AGE_MS = 5_000;

export function isAcrossApps(text: string): boolean {
  return text.includes(MARK);
}

interface Living {
  readonly tables: ReadonlySet<string>;
  readonly appIds: readonly number[];
}

/** While a node is down, finds the apps of the other nodes, and limits statements across apps to them. */
export class LivingApps {
  /** Set for some seconds after a node was lost. */
  private found: { readonly living: Promise<Living>; readonly error: unknown; readonly atMs: number } | undefined;

  constructor(
    private readonly query: Query,
    private readonly firstTable: string,
  ) {}

  /**
   * Sends a statement across apps, without the apps whose node is down. For some seconds after a node was lost, does not
   * wait for its connection. Throws the error of the lost node if the statement is marked `across apps or fail`, and
   * finds nothing in the other apps.
   */
  async send<Result extends { readonly rows: readonly unknown[] }>(
    text: string,
    sendWhole: () => Promise<Result>,
    sendLimited: (text: string) => Promise<Result>,
  ): Promise<Result> {
    if (this.found === undefined || performance.now() - this.found.atMs > MAX_AGE_MS) {
      try {
        return await sendWhole();
      } catch (error) {
        if (!isNodeLost(error)) throw error;
        this.found = { living: this.find(), error, atMs: performance.now() };
      }
    }
    const { living, error } = this.found;
    const { tables, appIds } = await living;
    const result = await sendLimited(limitToApps(text, tables, appIds));
    if (result.rows.length === 0 && text.includes(ALL_APPS_MARK)) throw error;
    return result;
  }

  private async find(): Promise<Living> {
    const tables = (await this.query(APP_TABLES)) as { name: string }[];
    const apps = (await this.query(FIND_APP_IDS)) as { id: number }[];
    const values = [this.firstTable, apps.map(({ id }) => id)];
    const [living] = (await this.query(FIND_LIVING_APPS, values)) as { ids: readonly (number | string)[] }[];
    return { tables: new Set(tables.map(({ name }) => name)), appIds: (living?.ids ?? []).map(Number) };
  }
}

/** Words that may follow a table without an alias. */
const NO_ALIASES = new Set([
  'where',
  'on',
  'join',
  'left',
  'cross',
  'group',
  'order',
  'limit',
  'union',
  'for',
  'using',
]);

/** Replaces each table by its rows of the apps. The ids stand in the text, because Citus must see them when it plans. */
export function limitToApps(text: string, tables: ReadonlySet<string>, appIds: readonly number[]): string {
  const tokens = tokensOf(text);
  let limited = '';
  let end = 0;
  for (const index of tableTokens(tokens)) {
    const { text: table, position } = tokens[index] as { text: string; position: number };
    if (!tables.has(table)) continue;
    const next = tokens[index + 1]?.text ?? ')';
    const hasAlias = /^[a-z]/.test(next) && !NO_ALIASES.has(next);
    const rows = `(select * from ${table} where app_id = any('{${appIds.join(',')}}'::bigint[]))`;
    limited += text.slice(end, position) + rows + (hasAlias ? '' : ` as ${table}`);
    end = position + table.length;
  }
  return limited + text.slice(end);
}

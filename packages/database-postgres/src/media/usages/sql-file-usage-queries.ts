import type { Page } from '@back-office/kernel';
import type { FileUsageQueries } from '@back-office/media';
import { placeholders } from '../../lists/placeholders.js';
import type { Postgres } from '../../connection/postgres.js';
import { anyContainsSql } from '../../lists/search-text.js';

// Uses subqueries, which cast the id only for types with numeric ids; a join would cast all ids.
const LABEL_SQL = `
  case u.entity_type
    when 'product' then (select p.name from products p where p.app_id = $1 and p.id = u.entity_id::bigint)
    when 'product_variant' then (
      select coalesce(nullif(v.name, ''), p.name) from product_variants v
      join products p on p.app_id = $1 and p.id = v.product_id where v.app_id = $1 and v.id = u.entity_id::bigint
    )
    when 'app_location' then (select l.name from app_locations l where l.app_id = $1 and l.id = u.entity_id::bigint)
    else u.label
  end`;

const SEARCHED_COLUMNS = [LABEL_SQL, 'u.url', 'u.entity_type', 'u.entity_id', 'u.key'];

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

const listSql = (page: string, order: string): string => `
  with page as (${page} order by ${order} offset $2 limit $3)
  select coalesce(json_agg(row), '[]')::text as data from (
    select u.entity_type, u.entity_id, u.field, ${LABEL_SQL} as label, u.url, u.total_count from page u order by ${order}
  ) as row`;

const FROM_USAGES_OF_FILE = `
  from cdn_usages u where u.app_id = $1
    and u.key = (select f.key from cdn_files f where f.app_id = $1 and f.id = $4 and f.state <> 'receiving')`;

function fileUsagesStatement(appId: number, fileId: number, { offset, limit }: Page): Statement {
  const page = `select u.*, (select count(*) ${FROM_USAGES_OF_FILE}) as total_count ${FROM_USAGES_OF_FILE}`;
  return { text: listSql(page, 'u.id'), values: [appId, offset, limit, fileId] };
}

// Uses a full join, which never becomes a nested loop, even without statistics. The CTE is materialized, so that names
// are searched only for broken usages.
const BROKEN_USAGES = `
  broken as materialized (
    select u.* from (select * from cdn_usages where app_id = $1) as u
    full join (select key from cdn_files where app_id = $1 and state <> 'receiving') as f on f.key = u.key
    where f.key is null
  )`;

function brokenUsagesStatement(appId: number, search: string | undefined, { offset, limit }: Page): Statement {
  const values: unknown[] = [appId, offset, limit];
  const value = placeholders(values);
  const condition = search ? anyContainsSql(SEARCHED_COLUMNS, search, value) : 'true';
  const page = `with ${BROKEN_USAGES} select u.*, count(*) over () as total_count from broken u where ${condition}`;
  return { text: listSql(page, 'u.key, u.id'), values };
}

export class SqlFileUsageQueries implements FileUsageQueries {
  constructor(private readonly postgres: Postgres) {}

  usagesOfFile(appId: number, fileId: number, page: Page): Promise<string> {
    return this.list(fileUsagesStatement(appId, fileId, page));
  }

  brokenUsages(appId: number, search: string | undefined, page: Page): Promise<string> {
    return this.list(brokenUsagesStatement(appId, search, page));
  }

  private async list({ text, values }: Statement): Promise<string> {
    const [row] = await this.postgres.rows<{ data: string }>(text, values);
    return row?.data ?? '[]';
  }
}

import type { Warehouse, WarehouseQueries } from '@back-office/stock';
import type { ListedPage, Page } from '@back-office/kernel';
import { IsNull, type Repository } from 'typeorm';
import { among } from '../lists/list-conditions.js';
import { listedPage } from '../lists/listed-page.js';
import { anyContainsSql } from '../lists/search-text.js';
import type { Postgres } from '../connection/postgres.js';
import { repositoryOf } from '../connection/repositories.js';
import { dateTimeSql } from '../lists/json-sql.js';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders } from '../lists/placeholders.js';
import { afterSql, nameKey, orderSql, pageCte, positionSql, type SortKey } from '../lists/sort-keys.js';
import type { RowOf } from '../tables/define-table.js';
import { WAREHOUSES } from '../tables/stock.js';

const LISTED_COLUMNS = WAREHOUSES.columns.except('app_id', 'deleted_at', 'inserted_at', 'updated_at');
const SEARCHED_COLUMNS = ['w.name', 'w.code', 'w.address_line_1', 'w.city', 'w.postcode'];
const BY_NAME: readonly SortKey[] = [
  { ...nameKey('w.name'), direction: 'asc' },
  { sql: 'w.id', type: 'bigint', direction: 'asc' },
];

const listSql = (conditions: readonly string[], bounds: PageBounds): string => `
  with ${pageCte(`
    select w.id from warehouses w where ${['w.app_id = $1', 'w.deleted_at is null', ...conditions].join(' and ')}
    order by ${orderSql(BY_NAME)} ${bounds.clause}`)}
  select (
    select coalesce(json_agg(row), '[]')::text from (
      select ${LISTED_COLUMNS.of('w')},
        ${dateTimeSql('w.inserted_at')} as inserted_at, ${dateTimeSql('w.updated_at')} as updated_at
      from warehouses w where w.app_id = $1 and ${among('w.id', 'page')} order by ${orderSql(BY_NAME)}
    ) as row
  ) as data, (
    select ${positionSql(BY_NAME)} from warehouses w
    where w.app_id = $1 and w.id = (select id from page where ordinal = ${bounds.limit})
  ) as "end"`;

export class SqlWarehouseQueries implements WarehouseQueries {
  private readonly warehouses: Repository<RowOf<typeof WAREHOUSES>>;

  constructor(private readonly database: Postgres) {
    this.warehouses = repositoryOf(database.source, database, WAREHOUSES);
  }

  async find(appId: number, id: number): Promise<Warehouse | undefined> {
    const row = await this.warehouses.findOneBy({ app_id: appId, id, deleted_at: IsNull() });
    if (row === null) return undefined;
    const { app_id: _appId, deleted_at: _deletedAt, ...warehouse } = row;
    return warehouse;
  }

  list(appId: number, search: string | undefined, page: Page): Promise<ListedPage> {
    const values: unknown[] = [appId];
    const value = placeholders(values);
    const conditions = [
      ...(search === undefined ? [] : [anyContainsSql(SEARCHED_COLUMNS, search, value)]),
      ...(page.after === undefined ? [] : [afterSql(BY_NAME, page.after, value)]),
    ];
    return listedPage(this.database, { text: listSql(conditions, pageBounds(page, value)), values });
  }
}

import { escapeLike, InvalidPosition } from '@back-office/kernel';
import { among } from '../lists/list-conditions.js';
import { foldName } from '@back-office/database';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders } from '../lists/placeholders.js';
import {
  canBeMistyped,
  MAX_RANKED_PRODUCTS,
  MAX_SIMILAR_PRODUCTS,
  parseProductOrder,
  type ProductFilter,
  type ProductListQuery,
  type ProductSortField,
} from '@back-office/catalogue';
import { afterSql, orderSql, positionSql, type SortKey } from '../lists/sort-keys.js';
import { priceRangeConditions } from './price-range.js';
import { LOOK_UP_IDS, productJson } from './product-look-up.js';
import { outerApp } from '../connection/outer-app.js';

// Among these fields, only prices are nullable.
const SORT_EXPRESSIONS: Readonly<Record<ProductSortField, Omit<SortKey, 'direction'>>> = {
  name: { sql: 'p.search_name', type: 'text' },
  price: { sql: 'p.lowest_price', type: 'bigint', nulls: 'last' },
  inserted_at: { sql: 'p.inserted_at', type: 'timestamptz' },
  updated_at: { sql: 'p.updated_at', type: 'timestamptz' },
  sales_quantity: { sql: 'coalesce(s.quantity, 0)', type: 'bigint' },
};
const BY_NAME: readonly SortKey[] = [{ sql: 'p.search_name', type: 'text', direction: 'asc' }];
const BY_ID: SortKey = { sql: 'p.id', type: 'bigint', direction: 'asc' };

function productOrder(orderBy: string | undefined): SortKey[] | undefined {
  return parseProductOrder(orderBy)?.map(({ field, isDescending }) => ({
    ...SORT_EXPRESSIONS[field],
    direction: isDescending ? 'desc' : 'asc',
  }));
}

interface RankKey extends Pick<SortKey, 'sql' | 'direction' | 'nulls'> {
  /** The key is slow to compute. */
  readonly isSimilarity?: true;
}

interface Search {
  /**
   * Returns sort keys that put the best matches first. Each call of this function adds a parameter to the statement.
   * PostgreSQL cannot infer the type of an unused parameter, so call it only for a statement that sorts by the keys.
   */
  readonly order: () => readonly RankKey[];
  readonly literal: string;
  /** Condition that finds similar names. It is `false` unless {@link canBeMistyped} accepts the searched text. */
  readonly similar: string;
}

interface AppProductListQuery extends ProductListQuery {
  readonly appId: number;
  readonly decimals: number;
}

/** Uses a full join, because the planner never turns a full join into a nested loop; see {@link among}. */
export function productListStatement({ appId, decimals, filter, orderBy, page }: AppProductListQuery) {
  const values: unknown[] = [appId, decimals];
  const value = placeholders(values);
  const search = searchOf(filter, value);
  const sorting = productOrder(orderBy);
  const keys = [...(sorting ?? BY_NAME), BY_ID];
  if (search && page.after) throw new InvalidPosition();
  const isAfter = page.after === undefined ? [] : [afterSql(keys, page.after, value)];
  const conditions = ['p.app_id = $1', ...conditionsOf(filter, sorting, value), ...isAfter];
  const bounds = pageBounds(page, value);
  const text = `
  with ${search ? searchPageOf(search, conditions, sorting, bounds) : pageOf(conditions, keys, bounds)}
  select json_build_object('products', coalesce(json_agg(${productJson('$2')} order by page.ordinal), '[]'))::text as data,
    ${search ? 'null' : endSql(keys, bounds)} as "end"
  from page full join (select * from products p where p.app_id = $1 and ${among('p.id', 'page')}) as p on p.id = page.id`;
  return { text, values };
}

function endSql(keys: readonly SortKey[], { end }: PageBounds): string {
  return `(
    select ${positionSql(keys)} from products p ${salesJoin(keys)}
    where p.app_id = $1 and p.id = (select id from page where ordinal = ${end})
  )`;
}

function pageOf(conditions: readonly string[], keys: readonly SortKey[], { clause }: PageBounds): string {
  const order = orderSql(keys);
  return `page as (
    select p.id, row_number() over (order by ${order}) as ordinal from products p ${salesJoin(keys)}
    where ${conditions.join(' and ')} order by ${order} ${clause}
  )`;
}

/**
 * Matches carry their sort keys, because a second look-up of each key costs too much. Similar names are slow to find,
 * so their number is limited. Unless an order is requested, they come last and are searched only when the page reaches
 * them.
 */
function searchPageOf(
  search: Search,
  conditions: readonly string[],
  sorting: readonly SortKey[] | undefined,
  { clause, end }: PageBounds,
): string {
  const sortKeys: readonly RankKey[] = sorting ?? [...search.order(), ...BY_NAME];
  const columns = sortKeys.map(({ sql, isSimilarity }, index) => `${isSimilarity ? '0' : sql} as key_${index}`);
  const rankedColumns = sortKeys.map(({ sql, isSimilarity }, index) =>
    isSimilarity
      ? `case when is_rough or (select count(*) from exactly) <= ${MAX_RANKED_PRODUCTS} then ${sql} else 0 end as key_${index}`
      : `key_${index}`,
  );
  const order = orderSql(sortKeys.map((key, index) => ({ ...key, sql: `key_${index}` })));
  const pageOrder = [...(sorting ? [] : ['is_rough']), order, 'id'].join(', ');
  const selectMatches = (isRough: boolean, ...extraConditions: string[]): string => `
    select p.id, p.search_name, ${columns.join(', ')}, ${isRough} as is_rough from products p ${salesJoin(sortKeys)}
    where ${[...conditions, ...extraConditions].join(' and ')}`;
  const pageIsReached = sorting ? [] : [`(select count(*) from exactly) < ${end}`];
  return `exactly as materialized (${selectMatches(false, search.literal)}),
  roughly as materialized (
    ${selectMatches(true, `not ${search.literal}`, search.similar, ...pageIsReached)} limit ${MAX_SIMILAR_PRODUCTS}
  ),
  page as (
    select id, row_number() over (order by ${pageOrder}) as ordinal from (
      select id, is_rough, ${rankedColumns.join(', ')} from (select * from exactly union all select * from roughly) as p
      order by ${pageOrder} ${clause}
    ) as found
  )`;
}

function salesJoin(keys: readonly RankKey[]): string {
  const sortsBySales = keys.some(({ sql }) => sql.includes('s.quantity'));
  return sortsBySales ? 'left join product_sales s on s.app_id = $1 and s.product_id = p.id' : '';
}

function searchOf({ search, searchAll }: ProductFilter, value: (parameter: unknown) => string): Search | undefined {
  const byName = search === undefined ? undefined : nameSearch(search, 'p.search_name', value);
  const byAnyText = searchAll === undefined ? undefined : anyTextSearch(searchAll, value);
  if (byName === undefined || byAnyText === undefined) return byName ?? byAnyText;
  const matchesEither = ({ literal, similar }: Search): string => `(${literal} or ${similar})`;
  return {
    literal: `(${byName.literal} and ${byAnyText.literal})`,
    similar: `(${matchesEither(byName)} and ${matchesEither(byAnyText)})`,
    order: () => [...byName.order(), ...byAnyText.order()],
  };
}

function nameSearch(text: string, column: string, value: (parameter: unknown) => string): Search {
  const folded = foldName(text);
  if (folded === '') return { literal: 'false', similar: 'false', order: () => [] };
  const escapedText = escapeLike(folded);
  const orderByRank = (): RankKey[] => {
    const exact = value(folded);
    const rank = `case when p.search_name = ${exact} then 0 when p.search_name like ${value(`${escapedText}%`)} then 1
      when p.search_name like ${value(`% ${escapedText}%`)} then 2 else 3 end`;
    return [
      { sql: rank, direction: 'asc' },
      { sql: `word_similarity(${exact}, p.search_name)`, direction: 'desc', isSimilarity: true },
    ];
  };
  return {
    literal: `${column} like ${value(`%${escapedText}%`)}`,
    similar: canBeMistyped(folded) ? `${column} %> ${value(folded)}` : 'false',
    order: orderByRank,
  };
}

function anyTextSearch(searchText: string, value: (parameter: unknown) => string): Search {
  const { literal, similar, order } = nameSearch(searchText, 'p.search_all', value);
  // PostgreSQL lower-cases the text, as it does for the stored codes, because JavaScript lower-cases `İ` and a final
  // `Σ` differently.
  const codes = `p.search_all like lower(${value(`%${escapeLike(searchText)}%`)})`;
  const exactCodeFirst = (): RankKey => ({ sql: `p.id in (${exactCodeIds(value(searchText))})`, direction: 'desc' });
  return { literal: `(${literal} or ${codes})`, similar, order: () => [exactCodeFirst(), ...order()] };
}

function exactCodeIds(code: string): string {
  return `
    select id from products where app_id = $1 and (lower(btrim(code)) = lower(${code}) or lower(barcode) = lower(${code}))
    union all
    select product_id from product_variants
    where app_id = $1 and (lower(code) = lower(${code}) or lower(barcode) = lower(${code}))`;
}

function conditionsOf(
  filter: ProductFilter,
  sorting: readonly SortKey[] | undefined,
  value: (parameter: unknown) => string,
): string[] {
  const isSortedByPrice = sorting?.[0]?.sql === SORT_EXPRESSIONS.price.sql;
  const { lookUps, onlyOnStock, updatedAfter } = filter;
  return [
    ...lookUps.map((lookUp) => `p.id in (${LOOK_UP_IDS[lookUp.by](value(lookUp.value))})`),
    ...priceRangeConditions(filter, { value, isSortedByPrice }),
    ...(onlyOnStock ? [ON_STOCK] : []),
    ...(updatedAfter === undefined ? [] : [`p.updated_at >= ${value(updatedAfter)}`]),
  ];
}

// `offset 0` prevents the planner from turning the look-up per product into a join; see {@link among}.
const ON_STOCK = `exists (
  select 1 from product_variants v
  join stocks k on k.app_id = v.app_id and k.product_variant_id = v.id
  join warehouses w on w.app_id = v.app_id and w.id = k.warehouse_id and w.sellable and w.deleted_at is null
  where v.app_id = ${outerApp('p')} and v.product_id = p.id and k.on_hand > k.reserved offset 0)`;

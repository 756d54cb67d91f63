import { likeLiteral, type Page } from '@back-office/kernel';
import { among } from '../database/among.js';
import type { Database } from '../database/database.js';
import { foldedName } from '../database/search-text.js';
import { LOOK_UP_IDS, productJson } from './product.query.js';
import type { ProductFilter } from './product-filter.js';
import { placeholders } from '../database/placeholders.js';

/** What is shorter or longer is nothing that somebody has mistyped; and a long text is like very much, very slowly. */
const LIKE_SOMETHING = { shortest: 3, longest: 64 };

/** What products are sorted by, of a row `p` and, for what was sold of it, `s`. */
interface SortKey {
  readonly sql: string;
  readonly direction: string;
}

const SORTABLE: Readonly<Record<string, string>> = {
  name: 'p.search_name',
  price: 'p.lowest_price',
  inserted_at: 'p.inserted_at',
  sales_quantity: 'coalesce(s.quantity, 0)',
};
const LONGEST_ORDER = 200;
const BY_NAME: readonly SortKey[] = [{ sql: 'p.search_name', direction: '' }];
const BY_ID: SortKey = { sql: 'p.id', direction: '' };

/** Fields with an optional ` desc`, several separated by a comma; anything else is no order. */
function productOrder(orderBy: unknown): SortKey[] | undefined {
  if (typeof orderBy !== 'string' || orderBy === '' || orderBy.length > LONGEST_ORDER) return undefined;
  const keys = orderBy.split(',').map((part): SortKey | undefined => {
    const [, field = '', descending = ''] = /^([a-z_]+)( desc)?$/.exec(part) ?? [];
    if (!Object.hasOwn(SORTABLE, field)) return undefined;
    // Only a price may be missing; where nothing can, the words would keep the index from being read backwards.
    return { sql: SORTABLE[field] as string, direction: `${descending}${field === 'price' ? ' nulls last' : ''}` };
  });
  return keys.includes(undefined) ? undefined : (keys as SortKey[]);
}

interface Search {
  /** The best matches first. A function, since a parameter that no statement names has no type. */
  readonly order: () => readonly SortKey[];
  /** What holds the sought text as it stands. */
  readonly literal: string;
  /** What is only like it; nothing is, to a short text. */
  readonly similar: string;
}

export interface ProductListAsked {
  readonly appId: number;
  readonly decimals: number;
  readonly filter: ProductFilter;
  readonly orderBy: unknown;
  readonly page: Page;
}

/** The ids of the page first, then what is shown of each. A full join is never made row by row, see {@link among}. */
export function productListStatement({ appId, decimals, filter, orderBy, page }: ProductListAsked) {
  const values: unknown[] = [appId, page.offset, page.limit, decimals];
  const value = placeholders(values);
  const search = searchOf(filter, value);
  const conditions = ['p.app_id = $1', ...narrowed(filter, value)];
  const wanted = productOrder(orderBy);
  const text = `
  with ${search ? foundPageOf(search, conditions, wanted) : pageOf(conditions, wanted ?? BY_NAME)}
  select json_build_object('products', coalesce(json_agg(${productJson('$4')} order by page.place), '[]'))::text as data
  from page full join (select * from products p where p.app_id = $1 and ${among('p.id', 'page')}) as p on p.id = page.id`;
  return { text, values };
}

function pageOf(conditions: readonly string[], keys: readonly SortKey[]): string {
  const order = [...keys, BY_ID].map(({ sql, direction }) => `${sql}${direction}`).join(', ');
  return `page as (
    select p.id, row_number() over (order by ${order}) as place from products p ${soldBeside(keys)}
    where ${conditions.join(' and ')} order by ${order} offset $2 limit $3
  )`;
}

/**
 * What is found carries what it is sorted by: nobody knows how much it is, and to be read again, product by product, it
 * may be too much. Similar names are the dearest to find, so where they come last they are looked for only when the page
 * reaches them; and they do come last, whatever their keys are, unless an order is asked for.
 */
function foundPageOf(search: Search, conditions: readonly string[], wanted: readonly SortKey[] | undefined): string {
  const keys = wanted ?? [...search.order(), ...BY_NAME];
  const columns = ['p.id', ...keys.map(({ sql }, index) => `${sql} as key_${index}`)].join(', ');
  const order = [...keys.map(({ direction }, index) => `key_${index}${direction}`), 'id'];
  const best = [...(wanted ? [] : ['is_rough']), ...order].join(', ');
  const found = (isRough: boolean, ...more: string[]): string => `
    select ${columns}, ${isRough} as is_rough from products p ${soldBeside(keys)}
    where ${[...conditions, ...more].join(' and ')}`;
  const reached = wanted ? [] : ['(select count(*) from exactly) < $2::bigint + $3::bigint'];
  return `exactly as materialized (${found(false, search.literal)}),
  roughly as materialized (${found(true, search.similar, `not ${search.literal}`, ...reached)}),
  page as (
    select id, row_number() over (order by ${best}) as place
    from (select * from exactly union all select * from roughly order by ${best} offset $2 limit $3) as found
  )`;
}

function soldBeside(keys: readonly SortKey[]): string {
  const isAsked = keys.some(({ sql }) => sql.includes('s.quantity'));
  return isAsked ? 'left join product_sales s on s.app_id = $1 and s.product_id = p.id' : '';
}

export async function productListJson(database: Database, asked: ProductListAsked): Promise<string> {
  const { text, values } = productListStatement(asked);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '{"products":[]}';
}

/** Both searches at once: what both find. */
function searchOf({ search, searchAll }: ProductFilter, value: (one: unknown) => string): Search | undefined {
  const names = search === undefined ? undefined : nameSearch(search, 'p.search_name', value);
  const everywhere = searchAll === undefined ? undefined : everywhereSearch(searchAll, value);
  if (names === undefined || everywhere === undefined) return names ?? everywhere;
  const either = ({ literal, similar }: Search): string => `(${literal} or ${similar})`;
  return {
    literal: `(${names.literal} and ${everywhere.literal})`,
    similar: `(${either(names)} and ${either(everywhere)})`,
    order: () => [...names.order(), ...everywhere.order()],
  };
}

/** Exact, then beginning so, then with a word that begins so, then what holds it anywhere. */
function nameSearch(text: string, column: string, value: (one: unknown) => string): Search {
  const sought = foldedName(text);
  // What is nothing but signs that no name is kept with is found in none.
  if (sought === '') return { literal: 'false', similar: 'false', order: () => [] };
  const literal = likeLiteral(sought);
  const order = (): SortKey[] => {
    const exact = value(sought);
    const place = `case when p.search_name = ${exact} then 0 when p.search_name like ${value(`${literal}%`)} then 1
      when p.search_name like ${value(`% ${literal}%`)} then 2 else 3 end`;
    return [
      { sql: place, direction: '' },
      { sql: `word_similarity(${exact}, p.search_name)`, direction: ' desc' },
    ];
  };
  return {
    literal: `${column} like ${value(`%${literal}%`)}`,
    similar: canBeMistyped(sought) ? `${column} %> ${value(sought)}` : 'false',
    order,
  };
}

/** Signs are meant as they stand, and no letter triple knows of them. */
function canBeMistyped(sought: string): boolean {
  const { shortest, longest } = LIKE_SOMETHING;
  return sought.length >= shortest && sought.length <= longest && !/[%_]/.test(sought);
}

/** Names, codes and barcodes; a product with exactly this code or barcode goes first. */
function everywhereSearch(searchAll: string, value: (one: unknown) => string): Search {
  const { literal, similar, order } = nameSearch(searchAll, 'p.search_all', value);
  // The database has made what is stored lower case, and does not do so as JavaScript does: `İ`, a final `Σ`.
  const codes = `p.search_all like lower(${value(`%${likeLiteral(searchAll)}%`)})`;
  const isNamed = (): SortKey => ({ sql: `p.id in (${namedExactly(value(searchAll))})`, direction: ' desc' });
  return { literal: `(${literal} or ${codes})`, similar, order: () => [isNamed(), ...order()] };
}

/** Looked up once for all that is found. */
function namedExactly(code: string): string {
  return `
    select id from products where app_id = $1 and lower(btrim(code)) = lower(${code})
    union all
    select product_id from product_variants
    where app_id = $1 and (lower(code) = lower(${code}) or lower(barcode) = lower(${code}))`;
}

function narrowed(filter: ProductFilter, value: (one: unknown) => string): string[] {
  const { lookUps, priceFrom, priceTo, onlyOnStock } = filter;
  const minor = (price: string, round: string): string => `${round}(${value(price)}::numeric * 10 ^ $4::int)::bigint`;
  return [
    ...lookUps.map((each) => `p.id in (${LOOK_UP_IDS[each.by](value(each.value))})`),
    ...(priceFrom === undefined ? [] : [`p.lowest_price >= ${minor(priceFrom, 'ceil')}`]),
    ...(priceTo === undefined ? [] : [`p.lowest_price <= ${minor(priceTo, 'floor')}`]),
    ...(onlyOnStock ? [ON_STOCK] : []),
  ];
}

// Looked up product by product: what has an offset is never made a join, see {@link among}.
const ON_STOCK = `exists (
  select 1 from product_variants v
  join stocks k on k.app_id = v.app_id and k.product_variant_id = v.id
  join warehouses w on w.app_id = v.app_id and w.id = k.warehouse_id and w.sellable and w.deleted_at is null
  where v.app_id = p.app_id and v.product_id = p.id and k.on_hand > k.reserved offset 0)`;

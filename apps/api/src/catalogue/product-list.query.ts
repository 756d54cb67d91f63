import { likeLiteral, type Page } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { foldedForSearch } from '../database/search-text.js';
import { LOOK_UP_IDS, productJson } from './product.query.js';
import type { ProductFilter } from './product-filter.js';

/** What is shorter or longer is nothing that somebody has mistyped; and a long text is like very much, very slowly. */
const LIKE_SOMETHING = { shortest: 3, longest: 64 };

const SORTABLE: Readonly<Record<string, string>> = {
  name: 'p.search_name',
  price: 'p.lowest_price',
  inserted_at: 'p.inserted_at',
  sales_quantity: 'coalesce(s.quantity, 0)',
};
const LONGEST_ORDER = 200;

/** Fields with an optional ` desc`, several separated by a comma; anything else is no order. */
export function productOrder(orderBy: unknown): string | undefined {
  if (typeof orderBy !== 'string' || orderBy === '' || orderBy.length > LONGEST_ORDER) return undefined;
  const parts = orderBy.split(',').map((part) => /^([a-z_]+)( desc)?$/.exec(part));
  const columns = parts.map((part) => {
    const field = part?.[1] ?? '';
    if (!Object.hasOwn(SORTABLE, field)) return undefined;
    // Only a price may be missing; where nothing can, the words would keep the index from being read backwards.
    return `${SORTABLE[field]}${part?.[2] ?? ''}${field === 'price' ? ' nulls last' : ''}`;
  });
  return columns.includes(undefined) ? undefined : columns.join(', ');
}

interface Search {
  /** The best matches first. A function, since a parameter that no statement names has no type. */
  readonly order: () => string;
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

/** The ids of the page first, then what is shown of each. */
export function productListStatement({ appId, decimals, filter, orderBy, page }: ProductListAsked) {
  const values: unknown[] = [appId, page.offset, page.limit, decimals];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const search = searchOf(filter, value);
  const conditions = ['p.app_id = $1', ...narrowed(filter, value)];
  const wanted = productOrder(orderBy);
  const order = [wanted ?? (search ? `${search.order()}, p.search_name` : 'p.search_name'), 'p.id'].join(', ');
  const sales = order.includes('s.quantity')
    ? 'left join product_sales s on s.app_id = $1 and s.product_id = p.id'
    : '';
  const text = `
  with ${search ? `${candidates(search, conditions, wanted === undefined)},` : ''} page as (
    select p.id, row_number() over (order by ${order}) as place from products p ${sales}
    where ${search ? CANDIDATE : conditions.join(' and ')} order by ${order} offset $2 limit $3
  )
  select json_build_object('products', coalesce(json_agg(${productJson('$4')} order by page.place), '[]'))::text as data
  from page join products p on p.app_id = $1 and p.id = page.id`;
  return { text, values };
}

const CANDIDATE = `p.app_id = $1 and p.id in (select id from exactly union all select id from roughly)`;

/** Similar names are the dearest to find. Where they come last they are looked for only when the page reaches them. */
function candidates({ literal, similar }: Search, conditions: readonly string[], areLast: boolean): string {
  const reached = areLast ? ['(select count(*) from exactly) < $2::bigint + $3::bigint'] : [];
  const found = (...more: string[]): string => `
    select p.id from products p where ${[...conditions, ...more].join(' and ')}`;
  return `exactly as materialized (${found(literal)}), roughly as materialized (
    ${found(similar, `not ${literal}`, ...reached)})`;
}

export async function productListJson(database: Database, asked: ProductListAsked): Promise<string> {
  const { text, values } = productListStatement(asked);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '{"products":[]}';
}

/** Both searches at once: what both find. */
function searchOf({ search, searchAll }: ProductFilter, value: (one: unknown) => string): Search | undefined {
  const names = search === undefined ? undefined : nameSearch(foldedForSearch(search), 'p.search_name', value);
  const everywhere = searchAll === undefined ? undefined : everywhereSearch(searchAll, value);
  if (names === undefined || everywhere === undefined) return names ?? everywhere;
  const either = ({ literal, similar }: Search): string => `(${literal} or ${similar})`;
  return {
    literal: `(${names.literal} and ${everywhere.literal})`,
    similar: `(${either(names)} and ${either(everywhere)})`,
    order: () => `${names.order()}, ${everywhere.order()}`,
  };
}

/** Exact, then beginning so, then with a word that begins so, then similar. */
function nameSearch(sought: string, column: string, value: (one: unknown) => string): Search {
  // What is nothing but signs that no name is kept with is found in none.
  if (sought === '') return { literal: 'false', similar: 'false', order: () => 'p.id' };
  const literal = likeLiteral(sought);
  const beginning = `${literal}%`;
  const word = `% ${literal}%`;
  const order = (): string => {
    const exact = value(sought);
    return `case when p.search_name = ${exact} then 0 when p.search_name like ${value(beginning)} then 1
      when p.search_name like ${value(word)} then 2 else 3 end, word_similarity(${exact}, p.search_name) desc`;
  };
  const { length } = sought;
  const isLike = length >= LIKE_SOMETHING.shortest && length <= LIKE_SOMETHING.longest;
  return {
    literal: `${column} like ${value(`%${literal}%`)}`,
    similar: isLike ? `${column} %> ${value(sought)}` : 'false',
    order,
  };
}

/** Names, codes and barcodes; a product with exactly this code or barcode goes first. */
function everywhereSearch(searchAll: string, value: (one: unknown) => string): Search {
  const sought = searchAll.toLowerCase();
  const { literal, similar, order } = nameSearch(foldedForSearch(searchAll), 'p.search_all', value);
  const isCode = (code: string): string => `(lower(p.code) = ${code} or exists (
    select 1 from product_variants v where v.app_id = $1 and v.product_id = p.id
      and (lower(v.code) = ${code} or lower(v.barcode) = ${code})))`;
  const codes = `p.search_all like ${value(`%${likeLiteral(sought)}%`)}`;
  return { literal: `(${literal} or ${codes})`, similar, order: () => `${isCode(value(sought))} desc, ${order()}` };
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

const ON_STOCK = `exists (
  select 1 from product_variants v
  join stocks k on k.app_id = $1 and k.product_variant_id = v.id
  join warehouses w on w.app_id = $1 and w.id = k.warehouse_id and w.sellable and w.deleted_at is null
  where v.app_id = $1 and v.product_id = p.id and k.on_hand > k.reserved)`;

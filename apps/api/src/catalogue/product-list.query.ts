import { likeLiteral, type Page } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { foldedForSearch } from '../database/search-text.js';
import { LOOK_UP_IDS, productJson } from './product.query.js';
import type { ProductFilter } from './product-filter.js';

/** Below three letters there is nothing to look up in an index of letter triples: words that begin so are enough. */
const SHORTEST_INNER = 3;

const SORTABLE: Readonly<Record<string, string>> = {
  name: 'p.name',
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
    return Object.hasOwn(SORTABLE, field) ? `${SORTABLE[field]}${part?.[2] ?? ''} nulls last` : undefined;
  });
  return columns.includes(undefined) ? undefined : columns.join(', ');
}

interface Search {
  /** The best matches first. */
  readonly order: string;
  readonly condition: string;
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
  const searches = searchesOf(filter, value);
  const conditions = [...searches.map(({ condition }) => condition), ...narrowed(filter, value)];
  const order = [productOrder(orderBy) ?? [...searches.map((each) => each.order), 'p.name'].join(', '), 'p.id'];
  const sales = order.join().includes('s.quantity')
    ? 'left join product_sales s on s.app_id = $1 and s.product_id = p.id'
    : '';
  const text = `
  with page as (
    select p.id, row_number() over (order by ${order.join(', ')}) as place from products p ${sales}
    where ${['p.app_id = $1', ...conditions].join(' and ')} order by ${order.join(', ')} offset $2 limit $3
  )
  select json_build_object('products', coalesce(json_agg(${productJson('$4')} order by page.place), '[]'))::text as data
  from page join products p on p.app_id = $1 and p.id = page.id`;
  return { text, values };
}

export async function productListJson(database: Database, asked: ProductListAsked): Promise<string> {
  const { text, values } = productListStatement(asked);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '{"products":[]}';
}

function searchesOf({ search, searchAll }: ProductFilter, value: (one: unknown) => string): Search[] {
  return [
    ...(search === undefined ? [] : [nameSearch(foldedForSearch(search), 'p.search_name', value)]),
    ...(searchAll === undefined ? [] : [everywhereSearch(searchAll, value)]),
  ];
}

/** Exact, then beginning so, then with a word that begins so, then similar. */
function nameSearch(sought: string, column: string, value: (one: unknown) => string): Search {
  // What is nothing but signs that no name is kept with is found in none.
  if (sought === '') return { condition: 'false', order: 'p.id' };
  const [exact, literal] = [value(sought), likeLiteral(sought)];
  const [beginning, word] = [value(`${literal}%`), value(`% ${literal}%`)];
  const inner =
    sought.length < SHORTEST_INNER ? [] : [`${column} like ${value(`%${literal}%`)}`, `${column} %> ${exact}`];
  const found = [`${column} like ${beginning}`, `${column} like ${word}`, ...inner];
  const rank = `case when p.search_name = ${exact} then 0 when p.search_name like ${beginning} then 1
    when p.search_name like ${word} then 2 else 3 end`;
  return { condition: `(${found.join(' or ')})`, order: `${rank}, word_similarity(${exact}, p.search_name) desc` };
}

/** Names, codes and barcodes; a product with exactly this code or barcode goes first. */
function everywhereSearch(searchAll: string, value: (one: unknown) => string): Search {
  const code = value(searchAll.toLowerCase());
  const names = nameSearch(foldedForSearch(searchAll), 'p.search_all', value);
  const isCode = `(lower(p.code) = ${code} or exists (
    select 1 from product_variants v where v.app_id = $1 and v.product_id = p.id
      and (lower(v.code) = ${code} or lower(v.barcode) = ${code})))`;
  const codes = `p.search_all like ${value(`%${likeLiteral(searchAll.toLowerCase())}%`)}`;
  return { condition: `(${names.condition} or ${codes})`, order: `${isCode} desc, ${names.order}` };
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

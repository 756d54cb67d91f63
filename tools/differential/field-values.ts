import type { ShownRecords, KnownRecord } from './records.js';
import type { SeededRandom } from './seeded-random.js';
import { ABSENT_ID } from './steps.js';

/** What the value of a field may depend on. */
export interface Material {
  readonly random: SeededRandom;
  readonly records: ShownRecords;
  /** A number that is unique within the run, for fields that must be unique. */
  readonly serial: number;
}

export type MakeValue = (material: Material) => unknown;

const NAMES = [
  'Čokolada Menaž 100 g',
  'čokolada 100g',
  'Шећер кристал',
  'Kafa Zlatna džezva',
  'kafa zlatna',
  'Mleko 2,8% mm',
  'MLEKO',
  'Žvake',
  'Đumbir & limun',
  '50%_off\\',
];
const FIRST_NAMES = ['Ana', 'Мира', 'Đorđe', 'Žika', 'Mira'];
const LAST_NAMES = ['Kovačević', 'Марић', 'Marić', "O'Neil", 'Šćepanović'];
const TAGS = ['vip', 'rush', 'gift', 'Čekanje'];
const CODES = Array.from({ length: 14 }, (_, index) => `P${index + 1}`);
const FOLDERS = ['promo', 'promo/leto', 'slike', 'slike/a/b', 'x'];
const FILE_NAMES = ['a.txt', 'b.txt', 'Čaša.txt', 'slika.png', 'photo 1.png'];
const DATES = [
  '2026-11-20',
  '2026-11-21',
  '2026-11-21T10:00:00',
  '2026-11-22T09:30:00+01:00',
  '2026-11-25',
  '2027-01-01',
];
const LATER_DATES = ['2026-11-21T12:00:00', '2026-11-23', '2026-12-24T00:00:00', '2027-06-01'];
const WAREHOUSES = ['W1', 'W1', 'W2', 'W3'];

const oneOf =
  (...values: readonly unknown[]): MakeValue =>
  ({ random }) =>
    random.pick(values);
const between =
  (low: number, high: number): MakeValue =>
  ({ random }) =>
    random.between(low, high);
/**
 * Picks the id of a known record that passes the filter. Without one, and sometimes at random, returns an id that no
 * record has.
 */
const idOf =
  (kind: string, filter: (record: KnownRecord) => boolean = () => true): MakeValue =>
  ({ random, records }) => {
    const candidates = records.of(kind).filter(filter);
    return candidates.length === 0 || random.chance(0.03) ? ABSENT_ID : random.pick(candidates).ref;
  };
const fieldOf =
  (kind: string, name: string, otherwise: unknown): MakeValue =>
  ({ random, records }) => {
    const candidates = records.of(kind).filter(({ fields }) => typeof fields[name] === 'string' && fields[name] !== '');
    return candidates.length === 0 ? otherwise : random.pick(candidates).source.below(name);
  };
const price: MakeValue = ({ random }) => random.pick([0, 0.01, 9.99, 50, 100, 120.5, 199.99, 1_000]);
const isInTrash = ({ fields }: KnownRecord): boolean => (fields['deleted_at'] ?? null) !== null;

/** A key is `field`, or `object.field` when the value depends on the object. */
export const BODY_VALUES: Readonly<Record<string, MakeValue>> = {
  email: ({ random, serial }) => random.pick([`c${serial}@example.com`, 'Ana@Example.com', 'mira@example.com']),
  first_name: oneOf(...FIRST_NAMES),
  last_name: oneOf(...LAST_NAMES),
  phone: oneOf('+381601112223', '060/111-222', '+38164'),
  name: oneOf(...NAMES),
  alt: oneOf('', 'Šolja', 'a cup', 'Шоља'),
  caption: oneOf('', 'Caption', 'Natpis'),
  description: oneOf('', 'Opis', 'long '.repeat(20)),
  code: oneOf(...CODES),
  barcode: ({ random }) => `86${random.between(1, 14)}`,
  external_ref: ({ random }) => `ref ${random.between(1, 14)}`,
  slug: ({ random }) => random.pick(['cokolada', 'kafa', `slug-${random.between(1, 9)}`]),
  price,
  vat_rate: oneOf(0, 10, 20, 20),
  value: oneOf('crvena', 'plava', 'XL'),
  active: oneOf(true, true, true, false),
  image_url: oneOf('https://shop.example/a.png', 'https://shop.example/b.jpg'),
  address_line_1: oneOf('Bulevar 1', 'Put 2'),
  city: oneOf('Novi Sad', 'Beograd', 'Ниш'),
  postcode: oneOf('21000', '11000'),
  country: oneOf('RS', 'Srbija'),
  market_id: oneOf(1, 1, 2),
  sellable: oneOf(true, true, false),
  'warehouses.code': oneOf(...WAREHOUSES),
  'warehouse.code': ({ random, serial }) => random.pick([`W-${serial}`, 'W1', 'W4']),
  'warehouses.id': ({ random, records }) =>
    random.chance(0.75) || records.of('warehouse').length === 0 ? undefined : random.pick(records.of('warehouse')).ref,
  'warehouses.delete': oneOf(false, false, false, true),
  warehouse_code: oneOf(...WAREHOUSES),
  default_warehouse_code: oneOf('W1', 'W2', ''),
  'products.id': ({ random, records }) =>
    random.chance(0.85) || records.of('product').length === 0 ? undefined : random.pick(records.of('product')).ref,
  'products.code': oneOf(...CODES),
  'products.sku': oneOf(...CODES),
  'variants.code': oneOf(...CODES, 'P1-a', ' P2-a ', 'P3-a', null),
  'stocks.qty': between(-5, 60),
  'products.qty': between(0, 80),
  'items.qty': oneOf(1, 1, 2, 3, 5, 40),
  min_qty: oneOf(0, 1, 5),
  product_variant_id: idOf('variant'),
  'attributes.external_ref': oneOf('material', 'size', 'boja'),
  'attributes.code': oneOf('MAT', 'SIZE', 'BOJA'),
  'attributes.name': oneOf('Materijal', 'Veličina'),
  product_attribute_def_id: idOf('attribute'),
  'webhook_endpoint.url': oneOf('https://shop.invalid/a', 'https://shop.invalid/b', 'http://shop.invalid/a'),
  'webhook_endpoint.types': oneOf(null, ['order.created'], ['stock.changed', 'product.created']),
  'webhook_endpoint.subject': oneOf(null, null, 'orders/987654321'),
  'webhook_endpoint.status': oneOf('active', 'paused'),
  'replay.event_ids': oneOf(undefined),
  'replay.failed': oneOf(true, true, undefined),
  'replay.from': oneOf(undefined),
  'replay.until': oneOf(undefined),
  latitude: oneOf(44.8125, 44.8126, 45.25, -33.9),
  longitude: oneOf(20.4612, 20.4613, 19.84, 151.2),
  accuracy: oneOf(5, 30.5, 2_000),
  'app_locations.code': oneOf('L1', 'L2', 'L3'),
  'app_locations.external_ref': oneOf('loc 1', 'loc 2'),
  app_location_code: oneOf('L1', 'L1', 'L2', 'L9'),
  'payment_methods.code': oneOf('cash', 'bank_transfer', 'card', 'gift', 'later'),
  'payment_methods.kind': oneOf('cash', 'bank_transfer', 'card', 'other'),
  'promotions.code': oneOf('TEN', 'B2G1', 'FIVE', 'COUPON'),
  'promotions.value': oneOf(5, 10, 12.5),
  'promotions.kind': oneOf('percentage', 'amount', 'buy_x_get_y'),
  buy_qty: oneOf(1, 2),
  get_qty: oneOf(1, 1, 2),
  min_amount: oneOf(0, 100),
  variant_codes: ({ random }) => random.some(CODES, random.between(1, 4)),
  coupon_code: oneOf(null, null, 'SAVE', 'ZIMA'),
  valid_from: oneOf(null, '2026-11-01', '2026-11-21T10:00:00', '2026-11-23'),
  valid_until: oneOf(null, '2027-12-31', ...LATER_DATES),
  priority: between(-1, 3),
  'shipment_methods.code': oneOf('courier', 'pickup', 'post'),
  'shipment_methods.price': oneOf(0, 300, 250.5),
  'pickup_points.code': oneOf('PP1', 'PP2'),
  shipment_method_code: oneOf('courier', 'courier', 'pickup', 'post', 'none'),
  pickup_point_code: oneOf('PP1', 'PP1', 'PP2', 'PP3'),
  free_from: oneOf(null, 500, 5_000),
  requires_pickup_point: oneOf(false, false, true),
  'vouchers.code': oneOf('V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'V7', 'V8'),
  'vouchers.amount': oneOf(10, 50, 1_000),
  'vouchers.customer_id': idOf('customer'),
  coupon_codes: ({ random }) => random.some(['SAVE', 'ZIMA'], random.between(0, 1)),
  voucher_codes: ({ random }) => random.some(['V1', 'V2', 'V3', 'V4', 'V5', 'V6'], random.pick([0, 0, 1, 1, 2])),
  sales_channel_id: oneOf(1, 2),
  sales_channel: oneOf('web', 'Phone'),
  comment: oneOf('', 'Call first', 'Позвати'),
  tags: ({ random }) => random.some(TAGS, random.between(0, 3)),
  order_processing_id: idOf('evaluation'),
  reason: oneOf('changed mind', 'Одустао'),
  qty_confirmed: between(0, 3),
  'card.barcode': ({ random }) => `card ${random.between(1, 20)}`,
  'card.external_ref': ({ random }) => `card ref ${random.between(1, 20)}`,
  customer_external_ref: ({ random }) => `ref ${random.between(1, 8)}`,
  'customer.external_ref': ({ random }) => `ref ${random.between(1, 14)}`,
  uuid: oneOf('device 1', 'device 2', 'device 3'),
  language: oneOf('sr', 'en', 'sr-Latn', 'de'),
  default_language: oneOf('sr', 'en'),
  currency: oneOf('RSD', 'EUR'),
  scopes: oneOf(null, ['catalogue:read'], ['stock:read', 'stock:write'], ['tokens:read', 'tokens:write']),
  overlap: oneOf(60, '1h', '2d'),
  expires_in: oneOf(3_600, 86_400, 864_000),
  messaging_token: ({ random }) => `messaging ${random.between(1, 9)}`,
  firebase_token: ({ random }) => `firebase ${random.between(1, 9)}`,
  notification_channel_id: oneOf(3),
  preferred_notification_channel_id: oneOf(null, 1, 2, 3, 4),
  channel: oneOf('email', 'sms', 'push', 'viber'),
  state: oneOf('granted', 'granted', 'revoked'),
  lifetime_hours: oneOf(1, 24, 48),
  points_per_amount: oneOf(0, 100, 1_000),
  minimum_basket_amount: oneOf(0, 0, 1_000, 50_000),
  retention_days: oneOf(1, 30, 400),
  idle_days: oneOf(1, 30, 90, 91),
  max_days: oneOf(1, 30, 90, 91),
  trash_retention_days: oneOf(0, 1, 30),
  unused_threshold_days: oneOf(0, 1, 30),
  auto_hide_unused_days: oneOf(null, 1, 60),
  serve_trash: oneOf(null, true, true, false),
  refuse_delete_in_use: oneOf(true, false),
  prefix: oneOf(undefined),
  beneficiary: oneOf('Shop d.o.o.'),
  account_number: oneOf('160-445-02', '160-445-02', '160-445-02', ''),
  purpose: oneOf('Porudžbina'),
  payment_code: oneOf('289', '221', ''),
  translations: oneOf({}, { 'API.Products.NotFound': 'Nema artikla' }, { sr: { 'API.Products.NotFound': 'Nema' } }),
  order_number: ({ random, serial }) => random.pick([undefined, `N-${serial}`, `N-${serial}`]),
  'order.external_ref': ({ random, serial }) => random.pick([`order ${serial}`, `order ${serial}`, 'order 1']),
  order_date: oneOf(...DATES),
  payment_method_id: idOf('payment_method'),
  amount: oneOf(10, 50, 100, 120.5),
  invoice_number: ({ random }) => `INV ${random.between(1, 50)}`,
  order_status_id: between(1, 3),
  payment_status_id: between(1, 4),
  delivery_status_id: oneOf(1, 2, 2, 3, 4),
  refund: oneOf(true, true, false),
  reference: ({ random }) => `bank ${random.between(1, 99)}`,
  index: oneOf(0, 0, 1),
  'cdn_folder.key': ({ random, serial }) => random.pick([...FOLDERS, `folder-${serial}`, `folder-${serial}`]),
  'cdn_folder.name': oneOf('Leto', 'Zima', 'Slike'),
  parent_cdn_folder_path: oneOf(null, null, 'promo', 'slike', 'nowhere'),
  parent_folder: oneOf('', 'promo', 'slike', 'x', 'nowhere'),
  folder: oneOf('', ...FOLDERS),
  'file.name': oneOf(...FILE_NAMES),
  source: oneOf('upload', 'import'),
  preset_id: idOf('preset'),
  on_conflict: oneOf('error', 'rename', 'rename', 'rename'),
  cache_strategy: oneOf('version', 'version', 'version', 'ttl', 'purge', 'other'),
  version: oneOf(undefined, undefined, 1, 2, 9),
  renditions: ({ random }) => random.some([16, 32, 64, 640], random.between(1, 3)),
  rendition_widths: ({ random }) => random.some([16, 32, 64], random.between(0, 3)),
  'cdn_upload_presets.name': oneOf('default', 'small', 'raw'),
  max_width: oneOf(null, 16, 48, 2_560),
  quality: oneOf(null, 50, 90),
  output_format: oneOf('original', 'webp', 'jpeg'),
  is_default: oneOf(false, false, true),
  hidden: oneOf(true, false),
  hidden_note: oneOf('old', 'Staro'),
  entity_type: oneOf('page', 'product'),
  entity_id: oneOf('home', '1', '2'),
  label: oneOf('Home', 'Početna'),
  'fields.field': oneOf('body', 'image'),
  'fields.url': ({ random, records }) => {
    const files = records.of('file').filter(({ fields }) => typeof fields['url'] === 'string');
    const url = random.pick(['https://elsewhere.example/x.png', '/nowhere.png']);
    return files.length === 0 || random.chance(0.15) ? url : random.pick(files).source.below('url');
  },
};

/** Picks the ids for a call that lists several files. */
export const fileIds = (areTrashed: boolean): MakeValue => {
  const pickId = idOf('file', (record) => isInTrash(record) === areTrashed);
  return (material) => Array.from({ length: material.random.between(1, 3) }, () => pickId(material));
};

const orderOf = (...names: readonly string[]): MakeValue => {
  return ({ random }) => {
    const name = random.pick(names);
    return random.pick([name, `${name} asc`, `${name} desc`]);
  };
};
const SEARCHES = oneOf(
  'ana',
  'мар',
  'Marić',
  'kovac',
  'example',
  'kafa',
  'cokolada',
  'mleko',
  '%',
  'a',
  'promo',
  'slik',
  ' P1 ',
);
const date = oneOf(...DATES);
/** Columns with random values; a list sorted by such a column has a different order on each side. */
const RANDOM_ORDERS: Readonly<Record<string, readonly string[]>> = {
  '/proforma_orders': ['proforma_number'],
  '/orders': ['order_number'],
};

/** Searches on these routes include random numbers or prefixes, which may contain a short text by chance. */
export const ROUTES_SEARCHING_RANDOM_TEXT: ReadonlySet<string> = new Set(['/orders', '/cdn/usages/broken']);

export function isRandomOrder(path: string, order: unknown): boolean {
  return RANDOM_ORDERS[path]?.some((name) => String(order).startsWith(name)) ?? false;
}

/** A key is `parameter`, or `path parameter` when the value depends on the path. */
export const QUERY_VALUES: Readonly<Record<string, MakeValue>> = {
  active: oneOf('true', 'false'),
  offset: oneOf(0, 1, 2, 5, 30),
  limit: oneOf(1, 2, 5, 10, 100),
  pageNo: oneOf(1, 1, 2, 3),
  perPage: oneOf(1, 3, 10, 100),
  pageSize: oneOf(1, 3, 30),
  page_no: oneOf(1, 1, 2),
  page_size: oneOf(1, 3, 30),
  search: SEARCHES,
  '/orders search': (material) =>
    material.random.chance(0.3)
      ? fieldOf('order', 'order_number', 'Kovač')(material)
      : material.random.pick(['Marić', 'Мира', 'kovac', 'example', 'INV 1', '+381', 'N-1 ']),
  '/cdn/usages/broken search': oneOf('elsewhere', 'Početna', 'product', 'promo', '.png'),
  searchAll: oneOf('kafa', 'P1', '861', 'cokol', 'zlat dzezva'),
  name: oneOf('a', 'pdf', 'x'),
  code: oneOf(...CODES, 'p1', ' P2 ', 'P1-a'),
  '/product_attribute_defs code': oneOf('MAT', 'SIZE', 'NONE'),
  barcode: ({ random }) => `86${random.between(1, 14)}`,
  slug: fieldOf('product', 'slug', 'kafa'),
  id: idOf('product'),
  product_id: idOf('product'),
  productId: idOf('product'),
  productVariantId: idOf('variant'),
  warehouseId: idOf('warehouse'),
  languageId: oneOf(1, 2),
  customer_id: idOf('customer'),
  customerId: idOf('customer'),
  appLocationId: idOf('location'),
  externalRef: ({ random }) => `ref ${random.between(1, 14)}`,
  priceFrom: oneOf(0, 50, 100.5),
  priceTo: oneOf(100, 200, 0),
  onlyOnStock: oneOf(true, false),
  explain: oneOf(true, true, false),
  dry_run: oneOf(true, false),
  dateFrom: oneOf('2026-11-21', '2026-11-20', '2026-11-21T10:00:00'),
  dateUntil: oneOf('2026-11-22', '2027-01-01', '2026-11-21T10:30:00', '2026-12-01'),
  dateTimeFrom: date,
  dateTimeTo: date,
  date_from: date,
  date_to: date,
  at: date,
  status: oneOf(
    'draft',
    'awaiting_payment',
    'paid,confirmed',
    'converted',
    'canceled,expired',
    'unknown',
    'partial_confirmed',
  ),
  expiring_within: oneOf(1, 24, 100),
  has_alerts: oneOf(true, false),
  reference: oneOf('P-2026-000000', '19-2026-000000', 'x'),
  anonymous: oneOf(true, false),
  '/products orderBy': orderOf('name', 'price', 'inserted_at', 'sales_quantity', 'price desc,name'),
  '/proforma_orders orderBy': orderOf(
    'expires_at',
    'end_sales',
    'paid',
    'debt',
    'customer_name',
    'processing_date',
    'inserted_at',
    'updated_at',
    'proforma_number',
    'status',
  ),
  '/orders orderBy': orderOf(
    'id',
    'order_number',
    'order_date',
    'invoice_number',
    'sales',
    'net_sales',
    'discount',
    'vat',
    'paid',
    'debt',
    'customer_name',
  ),
  '/cdn/files orderBy': orderOf('name', 'size', 'inserted_at', 'last_modified'),
  order_by: orderOf('name', 'size', 'inserted_at', 'deleted_at', 'purge_at'),
  '/cdn/folders folder': oneOf(...FOLDERS, 'nowhere'),
  '/cdn/folder folder': oneOf(...FOLDERS, 'folder-1', 'nowhere'),
  folder: oneOf(...FOLDERS, '/'),
  kind: oneOf('image', 'doc', 'vector', 'video', 'none'),
  unused: oneOf(true, false),
  noalt: oneOf(true, false),
  min_size: oneOf(0, 10, 1_000),
  since_days: oneOf(0, 1, 30),
  hidden: oneOf(true, false),
  hidden_only: oneOf(true, false),
};

/** Fields with ids that are equal on both sides. */
const SHARED_ID_FIELDS = new Set([
  'currency_id',
  'market_id',
  'sales_channel_id',
  'proforma_status_id',
  'order_status_id',
  'payment_status_id',
  'delivery_status_id',
  'notification_channel_id',
  'preferred_notification_channel_id',
]);

const KINDS_BY_FIELD: Readonly<Record<string, string>> = {
  product_variant_id: 'variant',
  app_location_id: 'location',
  access_token_id: 'access token',
  token_id: 'access token',
  proforma_order_id: 'proforma',
  order_processing_id: 'evaluation',
  proforma_order_item_id: 'proforma item',
  product_attribute_def_id: 'attribute',
};

/** Kind of the record or records in a field, by the name of the field. */
const KINDS_BY_PARENT: Readonly<Record<string, string>> = {
  variants: 'variant',
  products: 'product',
  warehouses: 'warehouse',
  deleted: 'warehouse',
  files: 'file',
  folders: 'folder',
  evidence: 'consent change',
  payment: 'payment',
  cards: 'card',
  consent_changes: 'consent change',
  devices: 'device',
  sessions: 'session',
  visits: 'attendance',
  vouchers: 'voucher',
  evaluations: 'evaluation',
  proforma_orders: 'proforma',
  orders: 'order',
};

/** Kind of a record by the prefix of the route; the longest prefix applies. */
const KINDS_BY_PATH: readonly (readonly [prefix: string, kind: string])[] = [
  ['/payment_methods', 'payment_method'],
  ['/promotions', 'promotion'],
  ['/shipment_methods', 'shipment method'],
  ['/vouchers', 'voucher'],
  ['/access_tokens', 'access token'],
  ['/audit_log', 'audit entry'],
  ['/upload_tokens', 'upload token'],
  ['/webhook_endpoints', 'webhook endpoint'],
  ['/warehouse', 'warehouse'],
  ['/session', 'session'],
  ['/product_attribute_defs', 'attribute'],
  ['/products', 'product'],
  ['/int/products', 'product'],
  ['/stocks', 'stock'],
  ['/stock_movements', 'movement line'],
  ['/int/app_locations', 'location'],
  ['/customer/attendance', 'attendance'],
  ['/customer/consents/history', 'consent change'],
  ['/customers/:id/proforma_orders', 'proforma'],
  ['/customers', 'customer'],
  ['/notification_device', 'device'],
  ['/int/cards', 'card'],
  ['/order_processings', 'evaluation'],
  ['/proforma_orders/:id/convert', 'order'],
  ['/proforma_orders', 'proforma'],
  ['/orders', 'order'],
  ['/int/orders', 'order'],
  ['/cdn_upload_presets', 'preset'],
  ['/cdn/files/:id/usages', 'usage'],
  ['/cdn/files/:id/versions', 'version'],
  ['/cdn/usages', 'usage'],
  ['/cdn_folders', 'folder'],
  ['/cdn/folder', 'folder'],
  ['/cdn', 'file'],
];

/** Fields that repeat values of the request instead of showing a record. */
export const ECHO_FIELDS: ReadonlySet<string> = new Set(['input', 'product', 'fields', 'others', 'value']);

const isIndex = (name: string | undefined): boolean => name !== undefined && /^\d+$/.test(name);

/** Returns the kind of record that an id identifies; `undefined` for other fields. */
export function kindOfId(route: string, path: readonly string[], owner: unknown): string | undefined {
  const names = path.filter((name) => !isIndex(name));
  const name = names.at(-1) ?? '';
  const parent = names.at(-2) ?? '';
  if (name === 'deleted' || name === 'ids') return KINDS_BY_PARENT[name] ?? kindOfRoute(route);
  if (SHARED_ID_FIELDS.has(name)) return undefined;
  if (name === 'subject_id') return kindOfSubject(owner);
  if (name.endsWith('_id')) return KINDS_BY_FIELD[name] ?? name.slice(0, -'_id'.length);
  if (name !== 'id') return undefined;
  const record = (owner as { record?: unknown } | undefined)?.record;
  if (typeof record === 'string') return record === 'product_attribute_def' ? 'attribute' : record;
  if (parent === 'payments' || parent === 'items') return `${kindOfRoute(route)} ${parent}`;
  return KINDS_BY_PARENT[parent] ?? kindOfRoute(route);
}

const KINDS_BY_ACTION: Readonly<Record<string, string>> = {
  access_token: 'access token',
  payment: 'proforma',
  refund: 'proforma',
};

/** An action of the audit log starts with the kind of the changed record. */
function kindOfSubject(entry: unknown): string {
  const [kind = ''] = String((entry as { action?: unknown } | undefined)?.action).split('.');
  return KINDS_BY_ACTION[kind] ?? kind;
}

export function kindOfRoute(route: string): string {
  const matches = KINDS_BY_PATH.filter(([prefix]) => route.startsWith(prefix));
  const longest = matches.reduce<readonly [string, string] | undefined>(
    (best, match) => (best === undefined || match[0].length > best[0].length ? match : best),
    undefined,
  );
  return longest?.[1] ?? route;
}

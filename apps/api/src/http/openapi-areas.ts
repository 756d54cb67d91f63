import type { Route } from './route.js';

export interface Area {
  readonly name: string;
  readonly description: string;
  /** Name of a page in `docs/`, without its extension. */
  readonly guide: string;
  /**
   * First path segments below `/api/v2` and `/api/v2/int`. If several areas share a first segment, their entries
   * contain the second one too, such as `customer/consents`.
   */
  readonly segments: readonly string[];
}

/** Areas in the order in which a reader needs them. */
export const AREAS: readonly Area[] = [
  {
    name: 'Proformas',
    description: 'Price a basket, create the offer, collect its payments, confirm it and convert it to an order.',
    guide: 'quickstart',
    segments: ['order_processings', 'proforma_orders'],
  },
  {
    name: 'Orders',
    description: 'Read orders, change their statuses, and import orders of other systems.',
    guide: 'other-systems',
    segments: ['orders'],
  },
  {
    name: 'Catalogue',
    description: 'Products, their variants and their attributes.',
    guide: 'matching',
    segments: ['product', 'products', 'product_attributes', 'product_attribute_defs'],
  },
  {
    name: 'Stock',
    description: 'Warehouses, quantities on hand and reserved, and the ledger of movements.',
    guide: 'matching',
    segments: ['stock', 'stocks', 'stock_movements', 'warehouse', 'warehouses'],
  },
  {
    name: 'Customers',
    description: 'Customers, their loyalty cards, visits and personal data.',
    guide: 'personal-data',
    segments: ['customers', 'cards', 'customer/attendance', 'customer/attendances'],
  },
  {
    name: 'Consent',
    description: 'What marketing a customer allows, by channel, with evidence of every change.',
    guide: 'consent',
    segments: ['customer/consents', 'customer/consent'],
  },
  {
    name: 'Sessions and devices',
    description: 'Sessions of the phones and browsers of customers, and their push devices.',
    guide: 'sessions',
    segments: ['session', 'sessions', 'notification_device'],
  },
  {
    name: 'Media',
    description: 'Files at public URLs, with folders, renditions, versions, usages and a Trash.',
    guide: 'media',
    segments: ['cdn', 'cdn_folders', 'cdn_upload_presets', 'upload_tokens'],
  },
  {
    name: 'Set-up',
    description: 'Settings of the app, its tokens, payment and shipment methods, promotions, vouchers and locations.',
    guide: 'pricing',
    segments: [
      'app',
      'access_tokens',
      'audit_log',
      'app_locations',
      'payment_methods',
      'shipment_methods',
      'promotions',
      'vouchers',
    ],
  },
  {
    name: 'Events',
    description: 'Learn what has happened: a feed to read, and webhooks that the service sends.',
    guide: 'events',
    segments: ['events', 'webhook_endpoints'],
  },
];

const AREAS_BY_SEGMENT = new Map(AREAS.flatMap(({ name, segments }) => segments.map((segment) => [segment, name])));

/** Throws for a path that belongs to no area. */
export function areaOf({ path }: Pick<Route, 'path'>): string {
  const [first = '', second = ''] = path.split('/').filter((segment) => segment !== '' && segment !== 'int');
  const area = AREAS_BY_SEGMENT.get(first) ?? AREAS_BY_SEGMENT.get(`${first}/${second}`);
  if (area === undefined) throw new Error(`No area in openapi-areas.ts has the path ${path}`);
  return area;
}

export function describeAreas(usedAreas: ReadonlySet<string>) {
  return AREAS.filter(({ name }) => usedAreas.has(name)).map(({ name, description, guide }) => ({
    name,
    // The link is in the description, because `externalDocs` needs an absolute URL, and the document does not know its
    // own URL.
    description: `${description} [Guide](/docs/guides/${guide})`,
  }));
}

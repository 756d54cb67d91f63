import type { EntitySchema } from 'typeorm';
import { APPS, APP_SETTINGS, ACCESS_TOKENS, AUDIT_LOG, KEYED_CALLS } from './apps.js';
import { CUSTOMERS, CARDS, CONSENT_CHANGES, DEVICES, LOYALTY_BOOKINGS } from './customers.js';
import { EVALUATIONS } from './evaluations.js';
import { EVENT_FEEDS, EVENTS, UNPLACED_EVENTS } from './events.js';
import { FILES, FILE_VERSIONS, RENDITIONS, RETIRED_RENDITIONS, PDF_PAGES, PURGED_KEYS, USAGES } from './files.js';
import { FOLDERS, UPLOAD_PRESETS } from './folders.js';
import { WORKERS } from './jobs.js';
import { LOCATIONS, ATTENDANCES } from './locations.js';
import { ORDERS, ORDER_ITEMS } from './orders.js';
import { PAYMENTS } from './payments.js';
import {
  PRODUCTS,
  VARIANTS,
  PRODUCT_IMAGES,
  PRODUCT_SALES,
  ATTRIBUTE_DEFINITIONS,
  PRODUCT_ATTRIBUTES,
} from './products.js';
import { PROFORMAS, PROFORMA_ITEMS } from './proformas.js';
import { PAYMENT_METHODS, PROMOTIONS, SHIPMENT_METHODS, VOUCHERS } from './set-up.js';
import { WEBHOOK_DELIVERIES, WEBHOOK_ENDPOINTS } from './webhooks.js';
import {
  WAREHOUSES,
  STOCKS,
  STOCK_MOVEMENTS,
  STOCK_MOVEMENT_LINES,
  STOCK_REFERENCES,
  STOCK_RESERVATIONS,
} from './stock.js';

interface TableOfAnyColumns {
  readonly name: string;
  readonly entity: EntitySchema;
  readonly sqlIndexes: readonly string[];
}

export const TABLES: readonly TableOfAnyColumns[] = [
  APPS,
  APP_SETTINGS,
  ACCESS_TOKENS,
  AUDIT_LOG,
  KEYED_CALLS,
  CUSTOMERS,
  CARDS,
  CONSENT_CHANGES,
  DEVICES,
  LOYALTY_BOOKINGS,
  EVALUATIONS,
  EVENTS,
  UNPLACED_EVENTS,
  EVENT_FEEDS,
  FILES,
  FILE_VERSIONS,
  RENDITIONS,
  RETIRED_RENDITIONS,
  PDF_PAGES,
  PURGED_KEYS,
  USAGES,
  FOLDERS,
  UPLOAD_PRESETS,
  WORKERS,
  LOCATIONS,
  ATTENDANCES,
  ORDERS,
  ORDER_ITEMS,
  PAYMENTS,
  PRODUCTS,
  VARIANTS,
  PRODUCT_IMAGES,
  PRODUCT_SALES,
  ATTRIBUTE_DEFINITIONS,
  PRODUCT_ATTRIBUTES,
  PROFORMAS,
  PROFORMA_ITEMS,
  PAYMENT_METHODS,
  PROMOTIONS,
  SHIPMENT_METHODS,
  VOUCHERS,
  WAREHOUSES,
  STOCKS,
  STOCK_MOVEMENTS,
  STOCK_MOVEMENT_LINES,
  STOCK_REFERENCES,
  STOCK_RESERVATIONS,
  WEBHOOK_ENDPOINTS,
  WEBHOOK_DELIVERIES,
];

export const ENTITIES: EntitySchema[] = TABLES.map(({ entity }) => entity);

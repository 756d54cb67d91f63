import {
  ALL_EVENTS,
  changesSql,
  comparisonSql,
  lastEventSql,
  NO_PART,
  oneEventSql,
  someEventSql,
} from './event-comparison.js';
import type { Invariant } from './invariant.js';
import { ORDER_INVARIANTS, PROFORMA_INVARIANTS } from './sale-event-invariants.js';

const CATALOGUE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'The last movement of each variant in each warehouse has an event',
    sql: lastEventSql(
      ['stock.changed'],
      `select l.app_id, l.product_variant_id as id, m.warehouse_id as part, max(m.booked_at) as at,
         format('variant %s in warehouse %s', l.product_variant_id, m.warehouse_id) as label
       from stock_movement_lines l join stock_movements m on m.app_id = l.app_id and m.id = l.movement_id
       group by 1, 2, 3`,
    ),
  },
  {
    name: 'Every new product has one event',
    sql: oneEventSql('product.created', changesSql('product', 'products', 'inserted_at')),
  },
  {
    name: 'The last change of every product has an event',
    sql: lastEventSql(['product.created', 'product.updated'], changesSql('product', 'products', 'updated_at')),
  },
];

const CUSTOMER_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new customer has one event',
    sql: oneEventSql('customer.created', changesSql('customer', 'customers', 'inserted_at')),
  },
  {
    name: 'The last booking of points of every customer has an event',
    sql: lastEventSql(
      ['customer.updated'],
      `select app_id, customer_id as id, ${NO_PART}, max(coalesce(taken_back_at, inserted_at)) as at,
         format('customer %s', customer_id) as label
       from loyalty_bookings group by 1, 2`,
    ),
  },
  {
    name: 'The last erasure of every customer has an event',
    sql: lastEventSql(
      ['customer.updated'],
      `select app_id, subject_id as id, ${NO_PART}, max(at) as at, format('customer %s', subject_id) as label
       from audit_log where action = 'customer.erase' group by 1, 2`,
    ),
  },
  {
    name: 'The last change of the consents of every customer has an event',
    sql: lastEventSql(
      ['consent.changed'],
      `select app_id, customer_id as id, ${NO_PART}, max(changed_at) as at, format('customer %s', customer_id) as label
       from customer_consent_changes group by 1, 2`,
    ),
  },
];

const FILE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new file has one event',
    sql: oneEventSql('file.created', changesSql('file', 'cdn_files', 'inserted_at', `state <> 'receiving'`)),
  },
  {
    name: 'Every further version of a file has an event',
    sql: `
      select r.app_id, format('file %s: version %s, %s events', r.id, r.version, coalesce(e.count, 0)) as breach
      ${comparisonSql(
        ['file.replaced'],
        `select app_id, id, ${NO_PART}, inserted_at as at, version from cdn_files where state <> 'receiving'`,
      )}
      where coalesce(e.count, 0) <> r.version - 1`,
  },
  {
    name: 'The last change of every file has an event',
    sql: lastEventSql(
      ['file.created', 'file.updated', 'file.replaced', 'file.moved', 'file.restored'],
      changesSql('file', 'cdn_files', 'last_modified', `state = 'active'`),
    ),
  },
  {
    name: 'Every file in Trash has an event',
    sql: lastEventSql(['file.trashed'], changesSql('file', 'cdn_files', 'deleted_at', `state = 'trashed'`)),
  },
  {
    name: 'Every file with renditions has an event',
    sql: someEventSql(
      'file.processed',
      `select f.app_id, f.id, ${NO_PART}, f.inserted_at as at, format('file %s', f.id) as label
       from cdn_files f
       where exists (select from cdn_renditions r where r.app_id = f.app_id and r.cdn_file_id = f.id and r.listed)`,
    ),
  },
  {
    name: 'Every file whose processing failed has an event',
    sql: someEventSql('file.processed', changesSql('file', 'cdn_files', 'inserted_at', `processing = 'failed'`)),
  },
  {
    name: 'Every purged file has one event',
    sql: `
      select e.app_id, format('file %s', e.record_id) as breach
      from (${ALL_EVENTS}) as e left join cdn_files f on f.app_id = e.app_id and f.id = e.record_id
      where e.type like 'file.%' and f.id is null
      group by e.app_id, e.record_id having count(*) filter (where e.type = 'file.purged') <> 1`,
  },
];

const FEED_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every endpoint that was switched off has an event',
    sql: someEventSql(
      'webhook_endpoint.switched_off',
      changesSql('endpoint', 'webhook_endpoints', 'inserted_at', `status = 'switched_off'`),
    ),
  },
  {
    name: 'The positions of events have no gap',
    sql: `
      select f.app_id, format('%s of %s events', coalesce(e.count, 0), f.last_position - f.purged_position) as breach
      from event_feeds f
      left join (
        select app_id, count(*) as count from events group by 1
      ) as e on e.app_id = f.app_id
      where coalesce(e.count, 0) <> f.last_position - f.purged_position`,
  },
];

export const EVENT_INVARIANTS: readonly Invariant[] = [
  ...PROFORMA_INVARIANTS,
  ...ORDER_INVARIANTS,
  ...CATALOGUE_INVARIANTS,
  ...CUSTOMER_INVARIANTS,
  ...FILE_INVARIANTS,
  ...FEED_INVARIANTS,
];

import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType } from '@back-office/kernel';
import { readConfig } from './config.js';
import { openForInspection } from './runtime/service.js';
import { TOKENS } from './tokens.js';
import { fillApp } from './testing/a-day.js';
import { newCustomer, startSession, stockShop } from './testing/shop.js';
import { testApi, type Client, type TestApi } from './testing/test-api.js';
import { makeTestDatabase } from '@back-office/database-postgres/testing';
import { check, INVARIANTS } from '@back-office/database-postgres';

let api: TestApi;
let client: Client;

beforeAll(async () => {
  api = await testApi();
  client = await api.app();
  await fillApp(api, client);
  const token = await startSession(client, await newCustomer(client, 'ana@example.com'));
  const phone = api.withOrigins({ ...client, token }, [api.origin]);
  await phone.put('/customer/consent', { channel: 'email', state: 'revoked' });
});
afterAll(() => api.close());

const store = () => api.container.get(TOKENS.Library).library.store;
const runCheck = async (now = api.clock.now()) => check({ url: api.url }, store(), now);
const breachesOf = async (name: string, now?: Date): Promise<number> => {
  const finding = (await runCheck(now)).find((candidate) => candidate.name === name);
  if (finding === undefined) throw new Error(`No rule is called ${name}`);
  return finding.breaches;
};

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('a database after many kinds of calls', () => {
  it('breaks no rule of the check', async () => {
    const findings = await runCheck();
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
    expect(findings).toHaveLength(INVARIANTS.length + 2);
  });

  it('is not changed by the check', async () => {
    const fingerprintSql = `select count(*)::int as rows, max(xmin::text::bigint) as last from stocks`;
    const fingerprint = await api.database.rows(fingerprintSql);
    await runCheck();
    expect(await api.database.rows(fingerprintSql)).toEqual(fingerprint);
  });
});

describe('an installation during the check', () => {
  it('gets no new folders and keeps unfinished uploads', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'back-office-inspected-'));
    const inspect = async (inspectedDir: string) => {
      const inspected = await openForInspection(readConfig({ DATABASE_URL: api.url, DATA_DIR: inspectedDir }));
      await check(inspected.connection, inspected.store, new Date());
      await inspected.stop();
    };
    await inspect(join(dataDir, 'new'));
    const unfinished = join(dataDir, 'media', '.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'old'), '');
    await utimes(join(unfinished, 'old'), 0, 0);
    await inspect(dataDir);
    const remainingFiles = [await readdir(dataDir), await readdir(unfinished)];
    await rm(dataDir, { recursive: true });
    expect(remainingFiles).toEqual([['media'], ['old']]);
  });
});

describe('a database that cannot be checked', () => {
  it('is reported when it is not up to date', async () => {
    const empty = await makeTestDatabase({ isEmpty: true });
    await expect(check(empty.connection, store(), new Date())).rejects.toThrow(/^The database is not up to date/);
    await empty.drop();
  });

  it('makes the check time out when it does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
    await expect(check({ url }, store(), new Date())).rejects.toThrow(/timeout/i);
    silent.close();
  });
});

const firstId = (table: string, where: string) => `select min(id) from ${table} where ${where}`;

/**
 * Makes the first event older than all test records, because the rules ignore records that are not newer than the first
 * event.
 */
const FIRST_EVENT_EARLIER = `with first_event as (
    insert into unplaced_events (app_id, at, type, record_ids)
    select app_id, min(at) - interval '1 hour', 'stock.changed', '{0}' from unplaced_events group by app_id
  )`;

const withoutEvents = (type: EventType) => `${FIRST_EVENT_EARLIER} delete from unplaced_events where type = '${type}'`;

const CASES: readonly (readonly [name: string, corruption: string])[] = [
  [
    'Reserved stock equals the sum of its reservations',
    'update stocks set reserved = reserved + 1 where id = (select max(id) from stocks)',
  ],
  [
    'Reserved stock equals the sum of its movements',
    `update stock_movement_lines set qty = qty + 5 where id = (
         select min(l.id) from stock_movement_lines l join stock_movements m on m.app_id = l.app_id and m.id = l.movement_id where m.kind = 'reserve')`,
  ],
  ['Stock on hand equals the sum of its movements', 'update stocks set on_hand = on_hand + 1'],
  [
    'Exactly the lines of open proformas and unshipped orders are reserved',
    'delete from stock_reservations where proforma_item_id = (select min(proforma_item_id) from stock_reservations)',
  ],
  [
    'The totals of a proforma equal the sum of its lines and fees',
    'update proforma_items set sales = sales + 1 where id = (select max(id) from proforma_items)',
  ],
  [
    'The paid amount of a proforma equals its payments less refunds',
    `update payments set amount = amount + 1 where id = (${firstId('payments', `order_id is null and status = 'settled'`)})`,
  ],
  [
    'The paid amount of an order equals its payments less refunds',
    `update payments set amount = amount + 1 where id = (${firstId('payments', `order_id is not null and status = 'settled'`)})`,
  ],
  [
    'No refund exceeds its payment',
    `update payments set amount = -1000000 where id = (${firstId('payments', 'refund_of is not null')})`,
  ],
  [
    'Every failed refund has an alert, at most one of them open',
    `update payments set status = 'refund_failed' where id = (${firstId('payments', 'refund_of is not null')})`,
  ],
  [
    'Every evaluation is used at most once, and marked when used',
    `update order_processings set consumed_at = null where id = (${firstId('order_processings', 'consumed_at is not null')})`,
  ],
  [
    'Every converted proforma has one order, and vice versa',
    `update orders set proforma_order_id = null where id = (${firstId('orders', 'proforma_order_id is not null')})`,
  ],
  [
    'Every pending refund has a next attempt',
    `update payments set status = 'pending', next_attempt_at = null where id = (${firstId('payments', 'refund_of is not null')})`,
  ],
  [
    'No proforma is overdue for more than an hour',
    `update proforma_orders set due_at = inserted_at - interval '61 minutes' where id = (select max(id) from proforma_orders)`,
  ],
  [
    'Only open proformas hold vouchers, and payments equal what is spent',
    `update vouchers set spent = spent + 1 where code = 'HELD'`,
  ],
  ['The lowest price of a product is that of its variants', 'update products set lowest_price = lowest_price + 1'],
  [
    'The search text of a product has its name and all codes',
    `update product_variants set barcode = 'X-' || id where id = (select min(id) from product_variants)`,
  ],
  ['Points of a customer equal the bookings', 'update customers set loyalty_points = loyalty_points + 1'],
  [
    'No change of a consent switch is missing',
    `insert into customer_consent_changes (app_id, customer_id, channel, step, from_state, to_state, source, changed_at)
     select app_id, id, 'viber', 3, 'granted', 'revoked', 'x', now() from customers limit 1`,
  ],
  ['Every file is in an existing folder', `update cdn_files set folder = 'nowhere' where folder = 'x/y'`],
  ['Every folder is in an existing folder', `update cdn_folders set parent = 'nowhere' where path = 'x/y'`],
  [
    'Every new proforma has one event',
    `${FIRST_EVENT_EARLIER} delete from unplaced_events
     where id = (select max(id) from unplaced_events where type = 'proforma.created')`,
  ],
  [
    'Every paid proforma has an event',
    `${FIRST_EVENT_EARLIER} update proforma_orders set status_id = 3 where status_id <= 2`,
  ],
  ['Every payment of a proforma has an event', withoutEvents('proforma.payment_received')],
  ['Every proforma that the warehouse confirmed has an event', withoutEvents('proforma.confirmed')],
  [
    'Every converted proforma has one event',
    `${FIRST_EVENT_EARLIER} insert into unplaced_events (app_id, at, type, record_ids)
     select app_id, at, type, record_ids from unplaced_events where type = 'proforma.converted'`,
  ],
  [
    'Every cancelled proforma has one event',
    `${FIRST_EVENT_EARLIER} update unplaced_events set type = 'proforma.paid' where type = 'proforma.canceled'`,
  ],
  [
    'Every expired proforma has one event',
    `${FIRST_EVENT_EARLIER} update proforma_orders set status_id = 8 where status_id = 7`,
  ],
  [
    'Every alert of a proforma has one event',
    `${FIRST_EVENT_EARLIER} update proforma_orders set alerts_count = 1, open_alerts_count = 1,
       alerts = jsonb_build_array(jsonb_build_object('insertedAt', inserted_at, 'resolvedAt', null))`,
  ],
  [
    'Every resolved alert of a proforma has one event',
    `${FIRST_EVENT_EARLIER} update proforma_orders
     set alerts = jsonb_build_array(jsonb_build_object('insertedAt', inserted_at, 'resolvedAt', inserted_at))`,
  ],
  [
    'Every paid refund has one event',
    `${FIRST_EVENT_EARLIER}, paid as (
       update payments set status = 'refunded', next_attempt_at = null where refund_of is not null
     )
     delete from unplaced_events where type = 'refund.succeeded'`,
  ],
  [
    'Every failed refund has an event',
    `${FIRST_EVENT_EARLIER} update payments set status = 'refund_failed'
     where id = (${firstId('payments', 'refund_of is not null')})`,
  ],
  ['Every spent voucher has an event', withoutEvents('voucher.used')],
  [
    'Every voucher that a proforma held, or that a refund of an order gave back, has an event',
    withoutEvents('voucher.updated'),
  ],
  [
    'The last change of every proforma has an event',
    `${FIRST_EVENT_EARLIER} update proforma_orders set updated_at = updated_at + interval '1 hour'`,
  ],
  [
    'The last change of every order has an event',
    `${FIRST_EVENT_EARLIER} update orders set updated_at = updated_at + interval '1 hour'`,
  ],
  [
    'Every new order has one event',
    `${FIRST_EVENT_EARLIER} update unplaced_events set type = 'order.shipped' where type = 'order.created'`,
  ],
  [
    'Every shipped order has an event',
    `${FIRST_EVENT_EARLIER}, shipped as (update orders set shipped_at = inserted_at)
     delete from unplaced_events where type = 'order.shipped'`,
  ],
  ['Every delivered order has an event', `${FIRST_EVENT_EARLIER} update orders set delivery_status_id = 3`],
  ['Every cancelled order has an event', `${FIRST_EVENT_EARLIER} update orders set order_status_id = 3`],
  [
    'The last payment of every order has an event',
    `${FIRST_EVENT_EARLIER} update proforma_orders set converted_at = inserted_at - interval '1 minute'
     where order_id is not null`,
  ],
  ['The last movement of each variant in each warehouse has an event', withoutEvents('stock.changed')],
  [
    'Every new product has one event',
    `${FIRST_EVENT_EARLIER} insert into unplaced_events (app_id, at, type, record_ids)
     select app_id, at, type, record_ids from unplaced_events where type = 'product.created'`,
  ],
  [
    'The last change of every product has an event',
    `${FIRST_EVENT_EARLIER} update products set updated_at = updated_at + interval '1 hour'`,
  ],
  ['Every new customer has one event', withoutEvents('customer.created')],
  ['The last booking of points of every customer has an event', withoutEvents('customer.updated')],
  [
    'The last erasure of every customer has an event',
    `${FIRST_EVENT_EARLIER} insert into audit_log (app_id, at, actor, action, subject_id)
     select app_id, inserted_at + interval '1 hour', 'app', 'customer.erase', id from customers`,
  ],
  ['The last change of the consents of every customer has an event', withoutEvents('consent.changed')],
  ['Every new file has one event', withoutEvents('file.created')],
  ['Every further version of a file has an event', `${FIRST_EVENT_EARLIER} update cdn_files set version = version + 1`],
  [
    'The last change of every file has an event',
    `${FIRST_EVENT_EARLIER} update cdn_files set last_modified = last_modified + interval '1 hour'`,
  ],
  ['Every file in Trash has an event', withoutEvents('file.trashed')],
  [
    'Every file with renditions has an event',
    `${FIRST_EVENT_EARLIER}, made as (
       insert into cdn_renditions (app_id, cdn_file_id, version, width, height, label, key, mime, size, content)
       select app_id, cdn_file_id, version, 1, 1, 'small', 'small.png', 'image/png', size, content
       from cdn_file_versions limit 1
     )
     delete from unplaced_events where type = 'file.processed'`,
  ],
  [
    'Every file whose processing failed has an event',
    `${FIRST_EVENT_EARLIER}, failed as (update cdn_files set processing = 'failed')
     delete from unplaced_events where type = 'file.processed'`,
  ],
  [
    'Every purged file has one event',
    `insert into unplaced_events (app_id, at, type, record_ids) select app_id, at, 'file.moved', '{987654321}' from unplaced_events limit 1`,
  ],
  [
    'Every endpoint that was switched off has an event',
    `${FIRST_EVENT_EARLIER} insert into webhook_endpoints (app_id, url, status, secrets, position, inserted_at, updated_at)
     select app_id, 'https://erp.example', 'switched_off', '[]', 0, inserted_at, inserted_at from products limit 1`,
  ],
  [
    'The positions of events have no gap',
    `insert into event_feeds (app_id, last_position) select app_id, 1 from unplaced_events limit 1
     on conflict (app_id) do update set last_position = event_feeds.last_position + 1`,
  ],
];

describe('the check', () => {
  it('ignores changes in the hour after the oldest event if events have been purged', async () => {
    const name = 'Every new proforma has one event';
    await api.database.rows(`insert into event_feeds (app_id, last_position, purged_position) select $1, 1, 1`, [
      client.appId,
    ]);
    await api.database.rows(
      `with oldest as (
         insert into unplaced_events (app_id, at, type, record_ids)
         select app_id, min(at) - interval '59 minutes', 'stock.changed', '{0}' from unplaced_events group by app_id
       )
       delete from unplaced_events where id = (select min(id) from unplaced_events where type = 'proforma.created')`,
    );
    expect(await breachesOf(name)).toBe(0);
    await api.database.rows('delete from event_feeds');
    expect(await breachesOf(name)).toBe(1);
  });

  it('also compares events that have a position in the feed', async () => {
    const name = 'Every new product has one event';
    const otherClient = await api.app();
    await stockShop(otherClient, [{ code: 'PLACED', stock: 5 }]);
    expect((await otherClient.get('/events')).status).toBe(200);
    const breachesBefore = await breachesOf(name);
    await api.database.rows(
      `insert into events (app_id, at, type, record_id, position)
       select app_id, at, type, record_id, position + 1000 from events where app_id = $1 and type = 'product.created'`,
      [otherClient.appId],
    );
    expect(await breachesOf(name)).toBe(breachesBefore);
    await api.database.rows(`update products set inserted_at = inserted_at + interval '1 second' where app_id = $1`, [
      otherClient.appId,
    ]);
    expect(await breachesOf(name)).toBe(breachesBefore + 1);
  });

  it.each(CASES)('reports a violation of: %s', async (name, corruption) => {
    const breachesBefore = await breachesOf(name);
    await api.database.rows(corruption);
    expect(await breachesOf(name)).toBeGreaterThan(breachesBefore);
  });

  it('reports missing and truncated contents of files', async () => {
    const name = 'Every content of a file is in the store with its recorded size';
    expect(await breachesOf(name)).toBe(0);
    const [removedFile, truncatedFile] = await api.database.rows<{ content: string }>(
      'select content from cdn_files order by id',
    );
    await store().remove(removedFile?.content ?? '');
    await store().put(truncatedFile?.content ?? '', bytes('too short'), 'text/plain');
    expect(await breachesOf(name)).toBe(2);
  });

  it('reports content without a record when the content is a day old', async () => {
    const name = 'No unrecorded content is in the store for over a day';
    const [file] = await api.database.rows<{ content: string }>('select content from cdn_files limit 1');
    const orphan = (file?.content ?? '').replace(/[^/]+$/, 'orphan');
    const foreignKey = '_blobs/zzzzzzzz/of-another-installation';
    for (const key of [orphan, foreignKey]) await store().put(key, bytes('x'), 'text/plain');
    expect(await breachesOf(name)).toBe(0);
    expect(await breachesOf(name, new Date(Date.now() + 25 * 3_600_000))).toBe(1);
  });

  it('has a test case for every rule', () => {
    expect(CASES.map(([name]) => name)).toEqual(INVARIANTS.map(({ name }) => name));
  });
});

import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from './config.js';
import { openForInspection } from './runtime/service.js';
import { TOKENS } from './tokens.js';
import { fillApp } from './testing/a-day.js';
import { testApi, type Client, type TestApi } from './testing/test-api.js';
import { makeTestDatabase } from '@back-office/database-postgres/testing';
import { check, INVARIANTS } from '@back-office/database-postgres';

let api: TestApi;
let client: Client;

beforeAll(async () => {
  api = await testApi();
  client = await api.app();
  await fillApp(api, client);
});
afterAll(() => api.close());

const store = () => api.container.get(TOKENS.Library).library.store;
const found = async (now = new Date()) => check({ url: api.url }, store(), now);
const breachesOf = async (name: string, now?: Date): Promise<number> => {
  const finding = (await found(now)).find((each) => each.name === name);
  if (finding === undefined) throw new Error(`No rule is called ${name}`);
  return finding.breaches;
};

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('after a day of work', () => {
  it('every rule holds', async () => {
    const findings = await found();
    expect(findings.filter(({ breaches }) => breaches > 0)).toEqual([]);
    expect(findings).toHaveLength(INVARIANTS.length + 2);
  });

  it('the check writes nothing', async () => {
    const sum = `select count(*)::int as rows, max(xmin::text::bigint) as last from stocks`;
    const before = await api.database.rows(sum);
    await found();
    expect(await api.database.rows(sum)).toEqual(before);
  });
});

describe('an inspected installation', () => {
  it('gets no new folders and keeps unfinished uploads', async () => {
    const home = await mkdtemp(join(tmpdir(), 'back-office-inspected-'));
    const inspect = async (dataDir: string) => {
      const inspected = await openForInspection(readConfig({ DATABASE_URL: api.url, DATA_DIR: dataDir }));
      await check(inspected.connection, inspected.store, new Date());
      await inspected.stop();
    };
    await inspect(join(home, 'new'));
    const unfinished = join(home, 'media', '.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'old'), '');
    await utimes(join(unfinished, 'old'), 0, 0);
    await inspect(home);
    const left = [await readdir(home), await readdir(unfinished)];
    await rm(home, { recursive: true });
    expect(left).toEqual([['media'], ['old']]);
  });
});

describe('a database that cannot be checked', () => {
  it('is reported when it is not up to date', async () => {
    const empty = await makeTestDatabase({ isEmpty: true });
    await expect(check(empty.connection, store(), new Date())).rejects.toThrow(/^The database is not up to date/);
    await empty.drop();
  });

  it('times out when it does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
    await expect(check({ url }, store(), new Date())).rejects.toThrow(/timeout/i);
    silent.close();
  });
});

const first = (table: string, where: string) => `select min(id) from ${table} where ${where}`;

const CASES: readonly (readonly [name: string, corruption: string])[] = [
  [
    'Reserved stock equals the sum of its reservations',
    'update stocks set reserved = reserved + 1 where id = (select max(id) from stocks)',
  ],
  [
    'Reserved stock equals the sum of its movements',
    `update stock_movement_lines set qty = qty + 5 where id = (
         select min(l.id) from stock_movement_lines l join stock_movements m on m.id = l.movement_id where m.kind = 'reserve')`,
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
    `update payments set amount = amount + 1 where id = (${first('payments', `order_id is null and status = 'settled'`)})`,
  ],
  [
    'The paid amount of an order equals its payments less refunds',
    `update payments set amount = amount + 1 where id = (${first('payments', `order_id is not null and status = 'settled'`)})`,
  ],
  [
    'No refund exceeds its payment',
    `update payments set amount = -1000000 where id = (${first('payments', 'refund_of is not null')})`,
  ],
  [
    'Every failed refund has an alert, at most one of them open',
    `update payments set status = 'refund_failed' where id = (${first('payments', 'refund_of is not null')})`,
  ],
  [
    'Every evaluation is used at most once, and marked when used',
    `update order_processings set consumed_at = null where id = (${first('order_processings', 'consumed_at is not null')})`,
  ],
  [
    'Every converted proforma has one order, and vice versa',
    `update orders set proforma_order_id = null where id = (${first('orders', 'proforma_order_id is not null')})`,
  ],
  [
    'Every pending refund has a next attempt',
    `update payments set status = 'pending', next_attempt_at = null where id = (${first('payments', 'refund_of is not null')})`,
  ],
  [
    'No proforma is overdue for more than an hour',
    `update proforma_orders set due_at = now() - interval '61 minutes' where id = (select max(id) from proforma_orders)`,
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
];

describe('a broken rule is found', () => {
  it.each(CASES)('%s', async (name, corruption) => {
    const before = await breachesOf(name);
    await api.database.rows(corruption);
    expect(await breachesOf(name)).toBeGreaterThan(before);
  });

  it('Every content of a file is in the store with its recorded size', async () => {
    const name = 'Every content of a file is in the store with its recorded size';
    expect(await breachesOf(name)).toBe(0);
    const [one, two] = await api.database.rows<{ content: string }>('select content from cdn_files order by id');
    await store().remove(one?.content ?? '');
    await store().put(two?.content ?? '', bytes('too short'), 'text/plain');
    expect(await breachesOf(name)).toBe(2);
  });

  it('No unrecorded content is in the store for over a day', async () => {
    const name = 'No unrecorded content is in the store for over a day';
    const [file] = await api.database.rows<{ content: string }>('select content from cdn_files limit 1');
    const orphan = (file?.content ?? '').replace(/[^/]+$/, 'orphan');
    const stranger = '_blobs/zzzzzzzz/of-another-installation';
    for (const key of [orphan, stranger]) await store().put(key, bytes('x'), 'text/plain');
    expect(await breachesOf(name)).toBe(0);
    expect(await breachesOf(name, new Date(Date.now() + 25 * 3_600_000))).toBe(1);
  });

  it('for every rule', () => {
    expect(CASES.map(([name]) => name)).toEqual(INVARIANTS.map(({ name }) => name));
  });
});

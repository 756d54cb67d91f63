import { testApi, type TestApi } from '../testing/test-api.js';
import { TRACED_TEXTS, createTracedCustomer } from '../testing/traced-customer.js';

let api: TestApi;
beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

const FIND_TABLES = `
  select format('%I.%I', table_schema, table_name) as name from information_schema.tables
  where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by 1`;

const HEX_BYTES = String.raw`^\\x([0-9a-f]{2})+$`;

interface Trace {
  readonly table: string;
  readonly column: string;
  readonly text: string;
}

/** Searches all columns of all tables as text and as bytes, so a new column is covered automatically. */
async function findTraces(): Promise<Trace[]> {
  const tables = await api.database.rows<{ name: string }>(FIND_TABLES);
  expect(tables.length).toBeGreaterThan(40);
  const traces: Trace[] = [];
  for (const { name } of tables) {
    const rows = await api.database.rows<Trace>(
      `select '${name}' as table, field.key as column, text
       from ${name} as t, jsonb_each_text(to_jsonb(t)) as field, unnest($1::text[]) as text
       where position(text in lower(case when field.value ~ '${HEX_BYTES}'
         then encode(decode(substr(field.value, 3), 'hex'), 'escape') else field.value end)) > 0`,
      [TRACED_TEXTS],
    );
    traces.push(...rows);
  }
  return traces;
}

describe('the database after the erasure of a customer', () => {
  it('contains no text of the customer in any column of any table', async () => {
    const { client, path } = await createTracedCustomer(api);
    const tracesBefore = await findTraces();
    const tables = new Set(tracesBefore.map(({ table, column }) => `${table.replace('public.', '')}.${column}`));
    expect([...tables]).toEqual(
      expect.arrayContaining([
        'customers.email',
        'customers.search_text',
        'orders.customer_email',
        'orders.search_text',
        'orders.delivery',
        'proforma_orders.cancel_reason',
        'proforma_orders.payments_at_conversion',
        'payments.reference',
        'payments.payer',
        'order_processings.buyer',
        'cards.external_ref',
        'notification_devices.mobile_info',
        'access_tokens.device_uuid',
        'idempotency_keys.body',
      ]),
    );
    expect((await client.post(path('/erase'))).status).toBe(200);
    expect(await findTraces()).toEqual([]);
  });
});

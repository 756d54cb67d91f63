import { runnerOf } from '@back-office/kernel/testing';
import {
  makeThreeProformas,
  paymentMethodsContract,
  proformaQueriesContract,
  proformaStatsContract,
  refundQueueContract,
  SampleShop,
} from '@back-office/proforma/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';
import { SqlProformaQueries } from './sql-proforma-queries.js';

const runner = runnerOf(globalThis);

describe('queries of proformas and refunds in PostgreSQL', () => {
  proformaQueriesContract(runner, openSalesFixture);
  proformaStatsContract(runner, openSalesFixture);
  paymentMethodsContract(runner, openSalesFixture);
  refundQueueContract(runner, openSalesFixture);
});

describe('a repeated list in PostgreSQL', () => {
  let fixture: Awaited<ReturnType<typeof openSalesFixture>>;
  beforeAll(async () => {
    fixture = await openSalesFixture();
  });
  afterAll(() => fixture.close());

  it('receives only the rows that have changed', async () => {
    const shop = await SampleShop.open(fixture);
    const proformas = await makeThreeProformas(shop);
    const received: string[] = [];
    const database = {
      rows: async (text: string, values: readonly unknown[]) => {
        const rows = await fixture.postgres.rows<{ readonly data: string }>(text, values);
        received.push(rows[0]?.data ?? '');
        return rows;
      },
    } as unknown as typeof fixture.postgres;
    const queries = new SqlProformaQueries(database);
    const list = () =>
      queries.list(
        { id: shop.appId, decimals: 2, currency: 'RSD' },
        {},
        '',
        { offset: 0, limit: 30 },
        fixture.clock.now(),
      );
    const countReceived = (): number => received.at(-1)?.match(/proforma_number/g)?.length ?? 0;

    await list();
    expect(countReceived()).toBe(3);
    await list();
    expect(countReceived()).toBe(0);
    await shop.change(proformas[1]!, shop.payment());
    await shop.proforma();
    const { json, hash } = await list();
    expect(countReceived()).toBe(2);
    expect(JSON.parse(json)).toHaveLength(4);
    expect(hash).toMatch(/^[\w-]{27}$/);
    fixture.clock.forward({ seconds: 61 });
    await list();
    expect(countReceived()).toBe(4);
  });
});

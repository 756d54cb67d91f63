import { proformaSetUpOf } from '@back-office/database/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { proformaEffectsContract, proformaOrdersContract } from '@back-office/proforma/testing';
import { SqlProformaOrders } from './sql-proforma-orders.js';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);
const LOCK_PROFORMA = 'select 1 from proforma_orders where app_id = $1 and id = $2 for update';

let fixture: Awaited<ReturnType<typeof openSalesFixture>>;
beforeAll(async () => {
  fixture = await openSalesFixture();
});
afterAll(() => fixture.close());

describe('proformas in PostgreSQL', () => {
  proformaOrdersContract(runner, async () => ({
    ...(await proformaSetUpOf(fixture)),
    otherProcess: new SqlProformaOrders(fixture.postgres, fixture.clock),
    whileLocked,
  }));
  proformaEffectsContract(runner, openSalesFixture);
});

async function whileLocked<Result>(appId: number, id: number, work: () => Promise<Result>): Promise<Result> {
  const lockSession = fixture.postgres.source.createQueryRunner();
  await lockSession.startTransaction();
  await lockSession.query(LOCK_PROFORMA, [appId, id]);
  try {
    return await work();
  } finally {
    await lockSession.rollbackTransaction();
    await lockSession.release();
  }
}

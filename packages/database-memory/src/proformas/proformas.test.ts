import { proformaSetUpOf } from '@back-office/database/testing';
import { runnerOf } from '@back-office/kernel/testing';
import {
  paymentMethodsContract,
  proformaEffectsContract,
  proformaOrdersContract,
  proformaQueriesContract,
  proformaStatsContract,
  refundQueueContract,
} from '@back-office/proforma/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);

describe('proformas in memory', () => {
  proformaOrdersContract(runner, async () => proformaSetUpOf(await openSalesFixture()));
  proformaEffectsContract(runner, openSalesFixture);
  proformaQueriesContract(runner, openSalesFixture);
  proformaStatsContract(runner, openSalesFixture);
  paymentMethodsContract(runner, openSalesFixture);
  refundQueueContract(runner, openSalesFixture);
});

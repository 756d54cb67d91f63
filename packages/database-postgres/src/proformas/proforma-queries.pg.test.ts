import { runnerOf } from '@back-office/kernel/testing';
import {
  paymentMethodsContract,
  proformaQueriesContract,
  proformaStatsContract,
  refundQueueContract,
} from '@back-office/proforma/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);

describe('queries of proformas and refunds in PostgreSQL', () => {
  proformaQueriesContract(runner, openSalesFixture);
  proformaStatsContract(runner, openSalesFixture);
  paymentMethodsContract(runner, openSalesFixture);
  refundQueueContract(runner, openSalesFixture);
});

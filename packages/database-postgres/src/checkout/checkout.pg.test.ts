import { evaluationOffersContract, evaluationsContract, setUpRecordsContract } from '@back-office/checkout/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);

describe('promotions, vouchers, payment and shipment methods in PostgreSQL', () => {
  setUpRecordsContract(runner, openSalesFixture);
});

describe('evaluations in PostgreSQL', () => {
  evaluationsContract(runner, openSalesFixture);
  evaluationOffersContract(runner, openSalesFixture);
});

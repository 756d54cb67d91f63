import { customersContract, personalDataContract } from '@back-office/customers/testing';
import { runnerOf } from '@back-office/kernel/testing';
import { openFixture } from '../../testing/open-fixture.js';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);

describe('customers in PostgreSQL', () => {
  customersContract(runner, openFixture);
});

describe('personal data in PostgreSQL', () => {
  personalDataContract(runner, openSalesFixture);
});

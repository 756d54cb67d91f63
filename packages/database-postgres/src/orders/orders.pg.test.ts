import { runnerOf } from '@back-office/kernel/testing';
import {
  convertedOrdersContract,
  importedOrdersContract,
  orderChangesContract,
  orderQueriesContract,
  orderRefundsContract,
} from '@back-office/orders/testing';
import { openSalesFixture } from '../../testing/open-sales-fixture.js';

const runner = runnerOf(globalThis);

describe('orders in PostgreSQL', () => {
  convertedOrdersContract(runner, openSalesFixture);
  importedOrdersContract(runner, openSalesFixture);
  orderQueriesContract(runner, openSalesFixture);
  orderChangesContract(runner, openSalesFixture);
  orderRefundsContract(runner, openSalesFixture);
});

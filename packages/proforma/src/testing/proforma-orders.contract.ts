import type { Runner } from '@back-office/kernel/testing';
import { proformaChangesContract } from './proforma-changes.contract.js';
import { proformaCreationContract } from './proforma-creation.contract.js';
import { proformaDeadlinesContract } from './proforma-deadlines.contract.js';
import { proformaStockContract } from './proforma-stock.contract.js';
import type { ProformaOrdersFixture } from './shirt-shop.js';

/**
 * Every `ProformaOrders` must pass these tests. `setUp` runs before each test; its database may hold other apps. Call
 * the contract in a test file: `proformaOrdersContract(runnerOf(globalThis), setUp)`.
 */
export function proformaOrdersContract(runner: Runner, setUp: () => Promise<ProformaOrdersFixture>): void {
  proformaCreationContract(runner, setUp);
  proformaChangesContract(runner, setUp);
  proformaStockContract(runner, setUp);
  proformaDeadlinesContract(runner, setUp);
}

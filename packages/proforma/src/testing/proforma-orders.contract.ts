import type { Runner } from '@back-office/kernel/testing';
import { proformaChangesContract } from './proforma-changes.contract.js';
import { proformaCreationContract } from './proforma-creation.contract.js';
import { proformaDeadlinesContract } from './proforma-deadlines.contract.js';
import { proformaStockContract } from './proforma-stock.contract.js';
import type { ProformaOrdersSetUp } from './shirt-shop.js';

/**
 * Tests for every `ProformaOrders`. `setUp` runs before each test; its database may hold other apps. Call it in a test
 * file: `proformaOrdersContract(runnerOf(globalThis), setUp)`.
 */
export function proformaOrdersContract(runner: Runner, setUp: () => Promise<ProformaOrdersSetUp>): void {
  proformaCreationContract(runner, setUp);
  proformaChangesContract(runner, setUp);
  proformaStockContract(runner, setUp);
  proformaDeadlinesContract(runner, setUp);
}

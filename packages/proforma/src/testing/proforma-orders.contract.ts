import type { Runner } from '@back-office/kernel/testing';
import { proformaChangesContract } from './proforma-changes.contract.js';
import { proformaCreationContract } from './proforma-creation.contract.js';
import { proformaDeadlinesContract } from './proforma-deadlines.contract.js';
import { proformaStockContract } from './proforma-stock.contract.js';
import type { ProformaOrdersFixture } from './shirt-shop.js';

/**
 * Tests for every adapter of `ProformaOrders`. `setUp` runs before each test; its database may contain other apps.
 * Example: `proformaOrdersContract(runnerOf(globalThis), setUp)` in a test file.
 */
export function proformaOrdersContract(runner: Runner, setUp: () => Promise<ProformaOrdersFixture>): void {
  proformaCreationContract(runner, setUp);
  proformaChangesContract(runner, setUp);
  proformaStockContract(runner, setUp);
  proformaDeadlinesContract(runner, setUp);
}

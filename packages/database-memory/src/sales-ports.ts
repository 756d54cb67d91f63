import type { Database } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import { MemoryEvaluations } from './checkout/memory-evaluations.js';
import { MemorySetUpRecords } from './checkout/memory-set-up-records.js';
import { MemoryImportedOrders } from './orders/memory-imported-orders.js';
import { MemoryOrderChanges } from './orders/memory-order-changes.js';
import { MemoryOrderQueries } from './orders/memory-order-queries.js';
import { MemoryPaymentMethods } from './proformas/memory-payment-methods.js';
import { MemoryProformaOrders } from './proformas/memory-proforma-orders.js';
import { MemoryProformaQueries } from './proformas/memory-proforma-queries.js';
import { MemoryRefundQueue } from './proformas/memory-refund-queue.js';
import type { State } from './state.js';

export function salesPorts(state: State, clock: Clock) {
  const setUp = new MemorySetUpRecords(state, clock);
  const evaluations = new MemoryEvaluations(state, clock);
  return {
    evaluations,
    evaluationQueries: evaluations,
    setUpRecords: setUp,
    setUpQueries: setUp,
    importedOrders: new MemoryImportedOrders(state, clock),
    orderChanges: new MemoryOrderChanges(state, clock),
    orderQueries: new MemoryOrderQueries(state),
    paymentMethods: new MemoryPaymentMethods(state),
    proformaOrders: new MemoryProformaOrders(state, clock),
    proformaQueries: new MemoryProformaQueries(state),
    refundQueue: new MemoryRefundQueue(state),
  } satisfies Partial<Database>;
}

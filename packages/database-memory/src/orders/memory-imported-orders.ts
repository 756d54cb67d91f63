import { isRefusal, newParts, withStoredForms, type Clock, type Refusal } from '@back-office/kernel';
import { matcherOf, MATCHING } from '@back-office/matching';
import {
  importedItemColumns,
  importEntries,
  importedOrderColumns,
  ORDER_ALREADY_EXISTS,
  priceImport,
  type ImportedOrder,
  type ImportedOrders,
  type PricedImport,
} from '@back-office/orders';
import { orderNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { audit } from '../apps/audit-entries.js';
import { checkCurrency } from '../apps/app-currency.js';
import { publish } from '../events/published-events.js';
import type { State } from '../state.js';
import { referencedRecords } from './referenced-records.js';
import { hasOrderNumber, insertOrder, type OrderToInsert } from './new-order.js';

export class MemoryImportedOrders implements ImportedOrders {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    return this.state.memory.transaction(() => {
      checkCurrency(this.state, appId, order.currency);
      const orderRecords = referencedRecords(this.state, appId, order);
      const matcher = matcherOf(MATCHING['POST /int/orders'].variant, orderRecords.variants);
      const pricedImport = priceImport(order, orderRecords, (item) => matcher.find(item));
      if (isRefusal(pricedImport)) return pricedImport;
      if (this.isDuplicate(appId, order)) return ORDER_ALREADY_EXISTS;
      const now = this.clock.now();
      const number = order.orderNumber ?? this.freeNumber(appId, now);
      const { id } = insertOrder(this.state, appId, {
        ...importedOrderColumns(order, orderRecords, pricedImport, { parts: newParts(now, randomInt), now }),
        order_number: number,
        items: pricedImport.lines.map(importedItemColumns),
        payments: this.paymentsOf(pricedImport, now),
      });
      publish(this.state, appId, now, [{ type: 'order.created', recordId: id }]);
      audit(this.state, appId, now, importEntries(number, pricedImport));
      return { id };
    });
  }

  private isDuplicate(appId: number, { externalRef, orderNumber: number }: ImportedOrder): boolean {
    const { orders } = this.state;
    const references = withStoredForms([externalRef]);
    const conflictingOrder = orders.find(
      appId,
      (order) => references.includes(order.external_ref ?? '') || order.order_number === number,
    );
    return conflictingOrder !== undefined;
  }

  private freeNumber(appId: number, now: Date): string {
    for (;;) {
      const number = orderNumber(now.getUTCFullYear(), randomInt);
      if (!hasOrderNumber(this.state, appId, number)) return number;
    }
  }

  private paymentsOf({ payments }: PricedImport, now: Date): OrderToInsert['payments'] {
    return payments.map(({ method, amount }) => ({
      id: this.state.paymentIds.next(),
      amount,
      method: method.name,
      payment_method_id: method.id,
      status: 'settled',
      paid_at: now.toISOString(),
      refund_of: null,
      external_ref: null,
      received_at: null,
      payer: null,
    }));
  }
}

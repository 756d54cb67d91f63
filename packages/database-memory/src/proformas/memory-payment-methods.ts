import type { PaymentMethod } from '@back-office/kernel';
import type { PaymentMethods } from '@back-office/proforma';
import type { StoredPaymentMethod } from '../checkout/records.js';
import type { State } from '../state.js';

export class MemoryPaymentMethods implements PaymentMethods {
  constructor(private readonly state: State) {}

  async find(appId: number, id: number): Promise<PaymentMethod | undefined> {
    return methodOf(this.state.paymentMethods.get(appId, id));
  }

  async findByKind(appId: number, kind: PaymentMethod['kind']): Promise<PaymentMethod | undefined> {
    return methodOf(this.state.paymentMethods.find(appId, (method) => method.kind === kind));
  }
}

function methodOf(row: StoredPaymentMethod | undefined): PaymentMethod | undefined {
  return row && { id: row.id, name: row.name, kind: row.kind };
}

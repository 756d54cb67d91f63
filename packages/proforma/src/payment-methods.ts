import type { PaymentMethod } from '@back-office/kernel';

/** An adapter may cache payment methods briefly, because they are never removed. */
export interface PaymentMethods {
  /** Returns `undefined` when the app has no such method. */
  find(appId: number, id: number): Promise<PaymentMethod | undefined>;
  /** Returns the oldest method of the kind; `undefined` when the app has none. */
  findByKind(appId: number, kind: PaymentMethod['kind']): Promise<PaymentMethod | undefined>;
}

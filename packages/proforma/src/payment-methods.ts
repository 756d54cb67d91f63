import type { PaymentMethod } from '@back-office/kernel';

/** Payment methods of an app. An adapter may cache them briefly, since none is ever removed. */
export interface PaymentMethods {
  /** `undefined` when the app has no such method. */
  find(appId: number, id: number): Promise<PaymentMethod | undefined>;
  /** The app's oldest method of a kind; `undefined` without any. */
  findByKind(appId: number, kind: PaymentMethod['kind']): Promise<PaymentMethod | undefined>;
}

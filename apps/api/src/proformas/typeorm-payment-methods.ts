import type { Clock, Page } from '@back-office/kernel';
import type { PaymentMethod } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { Remembered } from '../database/remembered.js';
import { integer, named, text, type Of } from '../http/shapes.js';

export const PaymentMethodShape = named('PaymentMethod', { id: integer, code: text, name: text, kind: text });

const REMEMBERED_FOR_MS = 1_000;
const FIND = 'select id, name, kind from payment_methods where app_id = $1 and id = $2';
const LIST = 'select id, code, name, kind from payment_methods where app_id = $1 order by id offset $2 limit $3';

/** Payment methods are never deleted, so one that was found may be remembered for a moment. */
export class TypeOrmPaymentMethods {
  private readonly methods: Remembered<PaymentMethod>;

  constructor(
    private readonly database: Database,
    clock: Clock,
  ) {
    this.methods = new Remembered(REMEMBERED_FOR_MS, clock);
  }

  /** `undefined` when the app has no such method. */
  find(appId: number, id: number): Promise<PaymentMethod | undefined> {
    return this.methods.find(`${appId}/${id}`, async () => {
      const [method] = await this.database.rows<PaymentMethod>(FIND, [appId, id]);
      return method;
    });
  }

  list(appId: number, { offset, limit }: Page): Promise<Of<typeof PaymentMethodShape>[]> {
    return this.database.rows(LIST, [appId, offset, limit]);
  }
}

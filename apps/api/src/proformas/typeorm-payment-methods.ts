import type { Clock } from '@back-office/kernel';
import type { PaymentMethod } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { Remembered } from '../database/remembered.js';

const REMEMBERED_FOR_MS = 1_000;
const FIND = 'select id, name, kind from payment_methods where app_id = $1 and id = $2';
const FIND_KIND = `
  select id, name, kind from payment_methods where app_id = $1 and kind = $2 order by id limit 1`;

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

  /** The app's oldest method of a kind. */
  findByKind(appId: number, kind: PaymentMethod['kind']): Promise<PaymentMethod | undefined> {
    return this.methods.find(`${appId}/${kind}`, async () => {
      const [method] = await this.database.rows<PaymentMethod>(FIND_KIND, [appId, kind]);
      return method;
    });
  }
}

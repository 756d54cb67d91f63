import type { PaymentMethods } from '@back-office/proforma';
import type { Postgres } from '../connection/postgres.js';
import { findOrLoad, Memory, type Clock, type PaymentMethod } from '@back-office/kernel';

const CACHE_MS = 1_000;
const FIND_METHOD = 'select id, name, kind from payment_methods where app_id = $1 and id = $2';
const FIND_KIND = `
  select id, name, kind from payment_methods where app_id = $1 and kind = $2 order by id limit 1`;

/** Can cache payment methods, because they are never deleted. */
export class SqlPaymentMethods implements PaymentMethods {
  private readonly methods: Memory<Promise<PaymentMethod | undefined>>;

  constructor(
    private readonly database: Postgres,
    clock: Clock,
  ) {
    this.methods = new Memory(CACHE_MS, clock);
  }

  find(appId: number, id: number): Promise<PaymentMethod | undefined> {
    return findOrLoad(this.methods, `${appId}/${id}`, async () => {
      const [method] = await this.database.rows<PaymentMethod>(FIND_METHOD, [appId, id]);
      return method;
    });
  }

  findByKind(appId: number, kind: PaymentMethod['kind']): Promise<PaymentMethod | undefined> {
    return findOrLoad(this.methods, `${appId}/${kind}`, async () => {
      const [method] = await this.database.rows<PaymentMethod>(FIND_KIND, [appId, kind]);
      return method;
    });
  }
}

import type { NewSession, Run, Session } from '@back-office/apps';
import type { Customer, NewCustomer } from '@back-office/customers';
import { isRefusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { Database } from '../index.js';

type Needed = Pick<Database, 'apps' | 'customers' | 'fileUsageQueries' | 'keyedCalls' | 'sessions'>;

const PAGE = { offset: 0, limit: 1_000 };

const ANONYMOUS = {
  customer: null,
  device: { uuid: 'phone', type: null, vendor: null, mobileInfo: null },
  language: null,
};

let latest = 0;

/** Returns a number that is unique in this process. */
function unique(): number {
  latest += 1;
  return latest;
}

/** The ports of an adapter, with set-up methods of the contract suites that use these ports only. */
export function fixtureOf<Ports extends Needed>(
  ports: Ports,
  clock: ManualClock,
  close: () => Promise<void> = async () => {},
) {
  return {
    ...ports,
    clock,
    close,
    /** Usages of files that the library does not have. */
    async brokenUsages(appId: number): Promise<readonly object[]> {
      return JSON.parse(await ports.fileUsageQueries.broken(appId, undefined, PAGE)) as readonly object[];
    },
    makeApp: (): Promise<number> => ports.apps.create({ name: 'Contract', currency: 'RSD' }),
    async addCustomer(appId: number, fields: Partial<NewCustomer> = {}): Promise<Customer> {
      const email = `customer-${unique()}@example.com`;
      const added = await ports.customers.add(appId, { email, first_name: 'Ana', last_name: 'Kos', ...fields });
      if ('taken' in added) throw new Error(`Taken: ${added.taken.join()}`);
      return added;
    },
    /**
     * Runs the work under an idempotency key, dies after its write, and runs it again under the same key. Returns both
     * results.
     */
    async repeatKeyed<Result>(appId: number, work: () => Promise<Result>): Promise<readonly [Result, Result]> {
      const fingerprint = crypto.getRandomValues(new Uint8Array(32));
      const begin = async (): Promise<Run> => {
        const begun = await ports.keyedCalls.begin({ appId, tokenId: 1, key: 'contract', fingerprint });
        if (typeof begun === 'string' || !('once' in begun)) throw new Error('The call did not begin');
        return begun;
      };
      const run = await begin();
      const first = await run.once.run(work);
      await ports.keyedCalls.release(run);
      return [first, await (await begin()).once.run(work)];
    },
    async startSession(appId: number, fields: Partial<NewSession> = {}): Promise<Session> {
      const tokenHash = crypto.getRandomValues(new Uint8Array(32));
      const expiresAt = new Date(clock.now().getTime() + 3_600_000);
      const started = await ports.sessions.start(appId, { ...ANONYMOUS, expiresAt, tokenHash, ...fields });
      if (isRefusal(started)) throw new Error(started.refused);
      return started;
    },
  };
}

type Goods = Pick<Database, 'warehouses' | 'products'>;

const ADDRESS = { address_line_1: 'Put 1', city: 'Novi Sad', postcode: '21000', market_id: 1, sellable: true };

export function goodsOf({ warehouses, products }: Goods) {
  return {
    addWarehouse: (appId: number, code: string) => warehouses.add(appId, { code, name: code, ...ADDRESS }),
    deleteWarehouse: (appId: number, code: string) =>
      warehouses.put(appId, [{ code, name: code, ...ADDRESS, delete: true }]),
    addAmount: (id: number, currency: string) =>
      products.upsert({ id, currency, settings: { media: { prefix: 'abcdefgh' } } }, [
        { code: 'P', name: 'P', price: 100, images: [], variants: [] },
      ]),
  };
}

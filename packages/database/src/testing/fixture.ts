import type { NewSession, Run, Session } from '@back-office/apps';
import type { Customer, NewCustomer } from '@back-office/customers';
import { isRefusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { Database } from '../index.js';

type FixturePorts = Pick<Database, 'apps' | 'customers' | 'fileUsageQueries' | 'keyedCalls' | 'sessions'>;

const PAGE = { offset: 0, limit: 1_000 };

const ANONYMOUS = {
  customer: null,
  device: { uuid: 'phone', type: null, vendor: null, mobileInfo: null },
  language: null,
};

let lastNumber = 0;

function uniqueNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

export function fixtureOf<Ports extends FixturePorts>(
  ports: Ports,
  clock: ManualClock,
  close: () => Promise<void> = async () => {},
) {
  return {
    ...ports,
    clock,
    close,
    async brokenUsages(appId: number): Promise<readonly object[]> {
      return JSON.parse(await ports.fileUsageQueries.brokenUsages(appId, undefined, PAGE)) as readonly object[];
    },
    makeApp: (): Promise<number> => ports.apps.create({ name: 'Contract', currency: 'RSD' }),
    async addCustomer(appId: number, fields: Partial<NewCustomer> = {}): Promise<Customer> {
      const email = `customer-${uniqueNumber()}@example.com`;
      const customer = await ports.customers.add(appId, { email, first_name: 'Ana', last_name: 'Kos', ...fields });
      if ('taken' in customer) throw new Error(`Taken: ${customer.taken.join()}`);
      return customer;
    },
    /** Runs `work` twice under one idempotency key and returns both results. Runs `between` after the first run. */
    async repeatKeyed<Result>(
      appId: number,
      work: () => Promise<Result>,
      between: (result: Result) => Promise<unknown> = async () => {},
    ): Promise<readonly [Result, Result]> {
      const fingerprint = crypto.getRandomValues(new Uint8Array(32));
      const beginRun = async (): Promise<Run> => {
        const run = await ports.keyedCalls.begin({ appId, tokenId: 1, key: 'contract', fingerprint });
        if (typeof run === 'string' || !('keyedWrite' in run)) throw new Error('The call did not begin');
        return run;
      };
      const run = await beginRun();
      const firstResult = await run.keyedWrite.run(work);
      await ports.keyedCalls.release(run);
      await between(firstResult);
      return [firstResult, await (await beginRun()).keyedWrite.run(work)];
    },
    async startSession(appId: number, fields: Partial<NewSession> = {}): Promise<Session> {
      const tokenHash = crypto.getRandomValues(new Uint8Array(32));
      const expiresAt = new Date(clock.now().getTime() + 3_600_000);
      const session = await ports.sessions.start(appId, { ...ANONYMOUS, expiresAt, tokenHash, ...fields });
      if (isRefusal(session)) throw new Error(session.refused);
      return session;
    },
  };
}

type GoodsPorts = Pick<Database, 'warehouses' | 'products'>;

const ADDRESS = { address_line_1: 'Put 1', city: 'Novi Sad', postcode: '21000', market_id: 1, sellable: true };

export function goodsOf({ warehouses, products }: GoodsPorts) {
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

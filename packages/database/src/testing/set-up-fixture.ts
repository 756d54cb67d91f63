import type { ResourceName } from '@back-office/checkout';
import type { PaymentMethod, PaymentMethodKind } from '@back-office/kernel';
import type { Database } from '../index.js';
import { CURRENCY, idOf, MEDIA } from './fixture-values.js';

type SetUpPorts = Pick<
  Database,
  'apps' | 'customers' | 'locations' | 'paymentMethods' | 'setUpQueries' | 'setUpRecords'
>;

const FIRST_PAGE = { offset: 0, limit: 1_000 };

export function setUpOf(ports: SetUpPorts) {
  const putRecords = async (appId: number, name: ResourceName, ...rows: readonly object[]): Promise<number[]> => {
    const outcome = await ports.setUpRecords.put(name, { id: appId, currency: CURRENCY, decimals: 2 }, rows);
    if ('failures' in outcome) throw new Error(outcome.failures.map(({ key }) => key).join());
    return outcome.rows.map((row) => row['id'] as number);
  };
  return {
    setUp: putRecords,
    async methodOf(appId: number, kind: PaymentMethodKind): Promise<PaymentMethod> {
      const method = await ports.paymentMethods.findByKind(appId, kind);
      if (method === undefined) throw new Error(`No method of kind ${kind}`);
      return method;
    },
    addVoucher: (appId: number, code: string, amount: number) =>
      putRecords(appId, 'vouchers', { code, amount: amount / 100 }),
    async spentOf(appId: number, code: string): Promise<number> {
      const vouchers = await ports.setUpQueries.list('vouchers', appId, FIRST_PAGE);
      return Number(vouchers.find((voucher) => voucher.code === code)?.['spent']);
    },
    async addLocation(appId: number, code: string): Promise<number> {
      const row = { code, name: code, latitude: 45, longitude: 20 };
      const { locations } = await ports.locations.put({ id: appId, settings: MEDIA }, [row]);
      const [location] = locations;
      return idOf(typeof location === 'object' ? location : undefined);
    },
    letPaidExpire: async (appId: number): Promise<void> => {
      await ports.apps.patch(appId, { proforma: { expire_paid: true } });
    },
    async pointsOf(appId: number, customer: { id: number; data_part: number; time_part: number }): Promise<number> {
      const storedCustomer = await ports.customers.find(appId, customer.id, customer.data_part, customer.time_part);
      return storedCustomer?.loyalty_points ?? Number.NaN;
    },
  };
}

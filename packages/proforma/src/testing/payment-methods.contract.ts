import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { GivenProformas } from './given-proformas.js';

/** The adapter may hold methods of other apps. */
export function paymentMethodsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenProformas>,
): void {
  let given: GivenProformas;
  let appId: number;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
  });

  describe('a payment method', () => {
    it('is found by its id, only in its app', async () => {
      const [id = 0] = await given.setUp(appId, 'payment_methods', { code: 'till', name: 'Till', kind: 'other' });
      expect(await given.paymentMethods.find(appId, id)).toEqual({ id, name: 'Till', kind: 'other' });
      expect(await given.paymentMethods.find(await given.makeApp(), id)).toBeUndefined();
      expect(await given.paymentMethods.find(appId, 987_654_321_987)).toBeUndefined();
    });

    it('is found by its kind, the oldest first', async () => {
      expect(await given.paymentMethods.findByKind(appId, 'other')).toBeUndefined();
      const rows = ['b', 'a'].map((code) => ({ code, name: code, kind: 'other' }));
      const [id] = await given.setUp(appId, 'payment_methods', ...rows);
      expect(await given.paymentMethods.findByKind(appId, 'other')).toEqual({ id, name: 'b', kind: 'other' });
    });

    it('exists for each default kind in a new app', async () => {
      for (const kind of ['cash', 'bank_transfer', 'card'] as const) {
        expect(await given.paymentMethods.findByKind(appId, kind)).toMatchObject({ kind });
      }
    });

    it('is found with its changes within a second', async () => {
      const [id = 0] = await given.setUp(appId, 'payment_methods', { code: 'till', name: 'Till', kind: 'other' });
      await given.paymentMethods.find(appId, id);
      await given.setUp(appId, 'payment_methods', { code: 'till', name: 'Desk' });
      given.clock.forward({ seconds: 1 });
      expect(await given.paymentMethods.find(appId, id)).toMatchObject({ name: 'Desk' });
    });
  });
}

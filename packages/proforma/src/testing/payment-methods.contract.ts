import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ProformaFixture } from './given-proformas.js';

export function paymentMethodsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ProformaFixture>,
): void {
  let fixture: ProformaFixture;
  let appId: number;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
  });

  describe('a payment method', () => {
    it('is found by its id, in its app only', async () => {
      const [id = 0] = await fixture.setUp(appId, 'payment_methods', { code: 'till', name: 'Till', kind: 'other' });
      expect(await fixture.paymentMethods.find(appId, id)).toEqual({ id, name: 'Till', kind: 'other' });
      expect(await fixture.paymentMethods.find(await fixture.makeApp(), id)).toBeUndefined();
      expect(await fixture.paymentMethods.find(appId, 987_654_321_987)).toBeUndefined();
    });

    it('is found by its kind; the oldest method of the kind is returned', async () => {
      expect(await fixture.paymentMethods.findByKind(appId, 'other')).toBeUndefined();
      const rows = ['b', 'a'].map((code) => ({ code, name: code, kind: 'other' }));
      const [id] = await fixture.setUp(appId, 'payment_methods', ...rows);
      expect(await fixture.paymentMethods.findByKind(appId, 'other')).toEqual({ id, name: 'b', kind: 'other' });
    });

    it('exists for each default kind in a new app', async () => {
      for (const kind of ['cash', 'bank_transfer', 'card'] as const) {
        expect(await fixture.paymentMethods.findByKind(appId, kind)).toMatchObject({ kind });
      }
    });

    it('shows its changes within a second', async () => {
      const [id = 0] = await fixture.setUp(appId, 'payment_methods', { code: 'till', name: 'Till', kind: 'other' });
      await fixture.paymentMethods.find(appId, id);
      await fixture.setUp(appId, 'payment_methods', { code: 'till', name: 'Desk' });
      fixture.clock.forward({ seconds: 1 });
      expect(await fixture.paymentMethods.find(appId, id)).toMatchObject({ name: 'Desk' });
    });
  });
}

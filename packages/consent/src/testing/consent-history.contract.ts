import type { CustomerIdentifier } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { CHANNELS, type State, type Switch } from '../index.js';
import { nameOf, shortOf, type AddedCustomer, type GivenConsents } from './given-consents.js';

/** Tests of the history of consents. The adapter may hold consents of other apps. */
export function consentHistoryContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenConsents>,
): void {
  let given: GivenConsents;
  let appId: number;
  let customer: AddedCustomer;
  let registeredAt: Date;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    appId = await given.makeApp();
    registeredAt = given.clock.now();
    customer = await given.addCustomer(appId, { external_ref: 'crm-1' });
    given.clock.forward({ seconds: 5 });
  });

  const set = (channel: Switch, state: State, id = customer.id) =>
    given.consents.change(appId, id, { channel, state, source: 'mobile_app' });

  describe('the history', () => {
    it('is paged, oldest first', async () => {
      const other = await given.addCustomer(appId);
      for (const channel of CHANNELS) await set(channel, 'revoked');
      await set('master', 'revoked', other.id);
      const pages = await Promise.all(
        [0, 3, 6].map((offset) => given.consentQueries.history(appId, customer.id, { offset, limit: 3 })),
      );
      expect(pages.map((page) => page.map(({ channel }) => channel))).toEqual([
        ['email', 'sms', 'push'],
        ['viber'],
        [],
      ]);
    });
  });

  describe('the consent before a time', () => {
    const knownBefore = (moment: Date, name: CustomerIdentifier = nameOf(customer), app = appId) =>
      given.consentQueries.findBefore(app, name, moment);

    it('has the last changes of each switch before it', async () => {
      const first = given.clock.now();
      await set('sms', 'revoked');
      await set('email', 'revoked');
      given.clock.forward({ seconds: 1 });
      const second = given.clock.now();
      await set('sms', 'granted');
      const later = new Date(second.getTime() + 1);
      const known = await Promise.all([first, second, later].map((moment) => knownBefore(moment)));
      expect(known.map((each) => each?.lastChanges.map(shortOf).sort())).toEqual([
        [],
        ['email 1 granted revoked', 'sms 1 granted revoked'],
        ['email 1 granted revoked', 'sms 2 revoked granted'],
      ]);
      expect(known[0]).toMatchObject({
        customerId: customer.id,
        customer: {
          registeredAt,
          hasDevice: false,
          hasPhone: false,
          viberSubscribed: false,
          chosenChannelId: null,
        },
      });
    });

    it('is found by reference, not with other parts or in another app', async () => {
      const now = given.clock.now();
      const name = nameOf(customer);
      expect(await knownBefore(now, { externalRef: 'crm-1' })).toMatchObject({ customerId: customer.id });
      expect(await knownBefore(now, { externalRef: 'CRM-1' })).toBeUndefined();
      expect(await knownBefore(now, { ...name, timePart: name.timePart + 1 })).toBeUndefined();
      expect(await knownBefore(now, name, await given.makeApp())).toBeUndefined();
    });
  });
}

import type { CustomerIdentifier } from '@back-office/kernel';
import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { CHANNELS, type State, type Switch } from '../index.js';
import { identifierOf, formatChange, type CustomerRow, type ConsentFixture } from './given-consents.js';

export function consentHistoryContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<ConsentFixture>,
): void {
  let fixture: ConsentFixture;
  let appId: number;
  let customer: CustomerRow;
  let registeredAt: Date;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    appId = await fixture.makeApp();
    registeredAt = fixture.clock.now();
    customer = await fixture.addCustomer(appId, { external_ref: 'crm-1' });
    fixture.clock.forward({ seconds: 5 });
  });

  const changeSwitch = (channel: Switch, state: State, id = customer.id) =>
    fixture.consents.change(appId, id, { channel, state, source: 'mobile_app' });

  describe('the list of consent changes', () => {
    it('is paged, oldest first', async () => {
      const otherCustomer = await fixture.addCustomer(appId);
      for (const channel of CHANNELS) await changeSwitch(channel, 'revoked');
      await changeSwitch('master', 'revoked', otherCustomer.id);
      const pages = await Promise.all(
        [0, 3, 6].map((offset) => fixture.consentQueries.history(appId, customer.id, { offset, limit: 3 })),
      );
      expect(pages.map((page) => page.map(({ channel }) => channel))).toEqual([
        ['email', 'sms', 'push'],
        ['viber'],
        [],
      ]);
    });
  });

  it('shows no other app the changes of a customer', async () => {
    await changeSwitch('sms', 'revoked');
    const otherAppId = await fixture.makeApp();
    expect(await fixture.consentQueries.history(otherAppId, customer.id, { offset: 0, limit: 3 })).toEqual([]);
  });

  describe('the consent of a customer at an earlier time', () => {
    const findBefore = (moment: Date, identifier: CustomerIdentifier = identifierOf(customer), ownerAppId = appId) =>
      fixture.consentQueries.findBefore(ownerAppId, identifier, moment);

    it('consists of the last change of each switch before that time', async () => {
      const firstTime = fixture.clock.now();
      await changeSwitch('sms', 'revoked');
      await changeSwitch('email', 'revoked');
      fixture.clock.forward({ seconds: 1 });
      const secondTime = fixture.clock.now();
      await changeSwitch('sms', 'granted');
      const laterTime = new Date(secondTime.getTime() + 1);
      const consents = await Promise.all([firstTime, secondTime, laterTime].map((moment) => findBefore(moment)));
      expect(consents.map((consent) => consent?.lastChanges.map(formatChange).sort())).toEqual([
        [],
        ['email 1 granted revoked', 'sms 1 granted revoked'],
        ['email 1 granted revoked', 'sms 2 revoked granted'],
      ]);
      expect(consents[0]).toMatchObject({
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

    it('is found by reference, but not with another data_part or time_part or in another app', async () => {
      const now = fixture.clock.now();
      const customerParts = identifierOf(customer);
      expect(await findBefore(now, { externalRef: 'crm-1' })).toMatchObject({ customerId: customer.id });
      expect(await findBefore(now, { externalRef: 'CRM-1' })).toBeUndefined();
      expect(await findBefore(now, { ...customerParts, dataPart: customerParts.dataPart + 1 })).toBeUndefined();
      expect(await findBefore(now, { ...customerParts, timePart: customerParts.timePart + 1 })).toBeUndefined();
      expect(await findBefore(now, customerParts, await fixture.makeApp())).toBeUndefined();
    });
  });
}

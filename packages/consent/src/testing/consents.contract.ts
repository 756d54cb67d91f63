import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { CHANNELS, type State, type Switch } from '../index.js';
import { nameOf, shortOf, type AddedCustomer, type CustomerFields, type GivenConsents } from './given-consents.js';

const ALL = { offset: 0, limit: 100 };
const MISSING = 987_654_321;

/** The adapter may hold consents of other apps. */
export function consentsContract(
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

  const set = (channel: Switch, state: State, id = customer.id, app = appId) =>
    given.consents.change(app, id, { channel, state, source: 'mobile_app' });
  const find = (id = customer.id, app = appId) => given.consentQueries.find(app, id);
  const history = (page = ALL, id = customer.id, app = appId) => given.consentQueries.history(app, id, page);
  const preferred = async (id = customer.id) => {
    const found = await find(id);
    return [found?.preferred.channelId, found?.preferred.source];
  };

  describe('the consent', () => {
    it('is granted since the registration without changes', async () => {
      const untouched = { state: 'granted', last: undefined };
      const channels = Object.fromEntries(CHANNELS.map((channel) => [channel, { ...untouched, effective: true }]));
      expect(await find()).toEqual({
        master: untouched,
        channels,
        preferred: { channelId: 1, source: 'auto' },
        viberSubscribed: false,
        givenAt: registeredAt,
      });
    });

    it('is undefined for a missing customer', async () => {
      const other = await given.makeApp();
      expect([await find(MISSING), await find(customer.id, other)]).toEqual([undefined, undefined]);
      expect([await set('sms', 'revoked', MISSING), await set('sms', 'revoked', customer.id, other)]).toEqual([
        undefined,
        undefined,
      ]);
      expect(await history(ALL, customer.id, other)).toEqual([]);
      expect(await history()).toEqual([]);
    });

    eachCase(it, [
      ['what the customer has chosen', { preferred_notification_channel_id: 2, viber_subscribed: true }, 2, 'manual'],
      ['viber when subscribed', { viber_subscribed: true }, 4, 'auto'],
      ['e-mail before a phone', { phone: '+381' }, 1, 'auto'],
    ] as [string, CustomerFields, number, string][])('prefers %s', async (_, fields, channelId, source) => {
      const { id } = await given.addCustomer(appId, fields);
      expect(await preferred(id)).toEqual([channelId, source]);
    });

    it('prefers sms only with a phone that is not blank', async () => {
      for (const [phone, channelId] of [
        ['+381', 2],
        [' ', null],
      ] as const) {
        const { id } = await given.addCustomer(appId, { phone });
        await set('email', 'revoked', id);
        expect(await preferred(id)).toEqual([channelId, 'auto']);
      }
    });

    it('prefers push once there is a device', async () => {
      const { id } = await given.startSession(appId, { customer: nameOf(customer) });
      expect(await preferred()).toEqual([1, 'auto']);
      const device = { messagingToken: 'token', type: null, vendor: null, mobileInfo: null };
      await given.devices.register(appId, id, device);
      expect(await preferred()).toEqual([3, 'auto']);
    });
  });

  describe('a change', () => {
    it('changes one switch, is returned and found', async () => {
      const at = given.clock.now();
      const changed = await set('sms', 'revoked');
      expect(changed).toMatchObject({
        master: { state: 'granted', last: undefined },
        channels: {
          email: { state: 'granted', effective: true, last: undefined },
          sms: { state: 'revoked', effective: false, last: { source: 'mobile_app', at } },
        },
        givenAt: at,
      });
      expect(await find()).toMatchObject({ ...changed });
      expect(await history()).toEqual([
        {
          id: expect.any(Number),
          customerId: customer.id,
          channel: 'sms',
          step: 1,
          from: 'granted',
          to: 'revoked',
          source: 'mobile_app',
          at,
        },
      ]);
    });

    it('of the master keeps the states of the channels but disables them', async () => {
      await set('viber', 'revoked');
      const { master, channels } = (await set('master', 'revoked')) ?? {};
      expect(master?.state).toBe('revoked');
      expect(CHANNELS.map((channel) => channels?.[channel].state)).toEqual([
        'granted',
        'granted',
        'granted',
        'revoked',
      ]);
      expect(CHANNELS.map((channel) => channels?.[channel].effective)).toEqual([false, false, false, false]);
    });

    it('to the same state stores nothing', async () => {
      expect(await set('sms', 'granted')).toEqual(await find());
      await set('sms', 'revoked');
      const known = await find();
      given.clock.forward({ seconds: 5 });
      expect(await set('sms', 'revoked')).toMatchObject({ ...known });
      expect(await history()).toHaveLength(1);
    });

    it('counts the steps of its switch', async () => {
      await set('sms', 'revoked');
      await set('master', 'revoked');
      await set('sms', 'granted');
      expect((await history()).map(shortOf)).toEqual([
        'sms 1 granted revoked',
        'master 1 granted revoked',
        'sms 2 revoked granted',
      ]);
    });

    it('is never dated before the last one of its switch', async () => {
      const at = given.clock.now();
      await set('sms', 'revoked');
      given.clock.forward({ seconds: -60 });
      await set('sms', 'granted');
      given.clock.forward({ seconds: 60 });
      expect((await history()).map((change) => change.at)).toEqual([at, at]);
    });

    it('is stored once for concurrent calls', async () => {
      await Promise.all(Array.from({ length: 10 }, () => set('email', 'revoked')));
      expect((await history()).map(shortOf)).toEqual(['email 1 granted revoked']);
    });

    it('is serialized with concurrent ones', async () => {
      await Promise.all(Array.from({ length: 10 }, (_, index) => set('email', index % 2 ? 'granted' : 'revoked')));
      const changes = await history();
      expect(changes.map(({ step }) => step)).toEqual(changes.map((_, index) => index + 1));
      expect((await find())?.channels.email.state).toBe(changes.at(-1)?.to);
    });
  });
}

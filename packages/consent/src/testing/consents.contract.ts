import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { CHANNELS, type State, type Switch } from '../index.js';
import {
  identifierOf,
  formatChange,
  type CustomerRow,
  type CustomerFields,
  type ConsentFixture,
} from './given-consents.js';

const ALL = { offset: 0, limit: 100 };
const MISSING = 987_654_321;

export function consentsContract(
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

  const changeSwitch = (channel: Switch, state: State, id = customer.id, ownerAppId = appId) =>
    fixture.consents.change(ownerAppId, id, { channel, state, source: 'mobile_app' });
  const find = (id = customer.id, ownerAppId = appId) => fixture.consentQueries.find(ownerAppId, id);
  const history = (page = ALL, id = customer.id, ownerAppId = appId) =>
    fixture.consentQueries.history(ownerAppId, id, page);
  const findPreferred = async (id = customer.id) => {
    const consent = await find(id);
    return [consent?.preferred.channelId, consent?.preferred.source];
  };

  describe('the consent of a customer', () => {
    it('is granted from the registration on', async () => {
      const neverChanged = { state: 'granted', lastChange: undefined };
      const channels = Object.fromEntries(CHANNELS.map((channel) => [channel, { ...neverChanged, effective: true }]));
      expect(await find()).toEqual({
        master: neverChanged,
        channels,
        preferred: { channelId: 1, source: 'auto' },
        viberSubscribed: false,
        givenAt: registeredAt,
      });
    });

    it('is undefined for a missing customer', async () => {
      const otherAppId = await fixture.makeApp();
      expect([await find(MISSING), await find(customer.id, otherAppId)]).toEqual([undefined, undefined]);
      expect([
        await changeSwitch('sms', 'revoked', MISSING),
        await changeSwitch('sms', 'revoked', customer.id, otherAppId),
      ]).toEqual([undefined, undefined]);
      expect(await history(ALL, customer.id, otherAppId)).toEqual([]);
      expect(await history()).toEqual([]);
    });

    eachCase(it, [
      [
        'the channel that the customer has chosen',
        { preferred_notification_channel_id: 2, viber_subscribed: true },
        2,
        'manual',
      ],
      ['viber when subscribed', { viber_subscribed: true }, 4, 'auto'],
      ['e-mail before a phone', { phone: '+381' }, 1, 'auto'],
    ] as [string, CustomerFields, number, string][])('prefers %s', async (_, fields, channelId, source) => {
      const { id } = await fixture.addCustomer(appId, fields);
      expect(await findPreferred(id)).toEqual([channelId, source]);
    });

    it('prefers sms only with a phone that is not blank', async () => {
      for (const [phone, channelId] of [
        ['+381', 2],
        [' ', null],
      ] as const) {
        const { id } = await fixture.addCustomer(appId, { phone });
        await changeSwitch('email', 'revoked', id);
        expect(await findPreferred(id)).toEqual([channelId, 'auto']);
      }
    });

    it('prefers push when the customer has a device', async () => {
      const { id } = await fixture.startSession(appId, { customer: identifierOf(customer) });
      expect(await findPreferred()).toEqual([1, 'auto']);
      const device = { messagingToken: 'token', type: null, vendor: null, mobileInfo: null };
      await fixture.devices.register(appId, id, device);
      expect(await findPreferred()).toEqual([3, 'auto']);
    });
  });

  describe('a consent change', () => {
    it('of one switch is returned, and is found later', async () => {
      const at = fixture.clock.now();
      const consent = await changeSwitch('sms', 'revoked');
      expect(consent).toMatchObject({
        master: { state: 'granted', lastChange: undefined },
        channels: {
          email: { state: 'granted', effective: true, lastChange: undefined },
          sms: { state: 'revoked', effective: false, lastChange: { source: 'mobile_app', at } },
        },
        givenAt: at,
      });
      expect(await find()).toMatchObject({ ...consent });
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

    it('of the master switch makes the channels ineffective, but keeps their states', async () => {
      await changeSwitch('viber', 'revoked');
      const { master, channels } = (await changeSwitch('master', 'revoked')) ?? {};
      expect(master?.state).toBe('revoked');
      expect(CHANNELS.map((channel) => channels?.[channel].state)).toEqual([
        'granted',
        'granted',
        'granted',
        'revoked',
      ]);
      expect(CHANNELS.map((channel) => channels?.[channel].effective)).toEqual([false, false, false, false]);
    });

    it('stores nothing when the state stays the same', async () => {
      expect(await changeSwitch('sms', 'granted')).toEqual(await find());
      await changeSwitch('sms', 'revoked');
      const consentBefore = await find();
      fixture.clock.forward({ seconds: 5 });
      expect(await changeSwitch('sms', 'revoked')).toMatchObject({ ...consentBefore });
      expect(await history()).toHaveLength(1);
    });

    it('has the next sequence number of its switch', async () => {
      await changeSwitch('sms', 'revoked');
      await changeSwitch('master', 'revoked');
      await changeSwitch('sms', 'granted');
      expect((await history()).map(formatChange)).toEqual([
        'sms 1 granted revoked',
        'master 1 granted revoked',
        'sms 2 revoked granted',
      ]);
    });

    it('is never dated before the last change of its switch', async () => {
      const at = fixture.clock.now();
      await changeSwitch('sms', 'revoked');
      fixture.clock.forward({ seconds: -60 });
      await changeSwitch('sms', 'granted');
      fixture.clock.forward({ seconds: 60 });
      expect((await history()).map((change) => change.at)).toEqual([at, at]);
    });

    it('is stored once for concurrent calls', async () => {
      await Promise.all(Array.from({ length: 10 }, () => changeSwitch('email', 'revoked')));
      expect((await history()).map(formatChange)).toEqual(['email 1 granted revoked']);
    });

    it('is serialized with concurrent changes', async () => {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) => changeSwitch('email', index % 2 ? 'granted' : 'revoked')),
      );
      const changes = await history();
      expect(changes.map(({ step }) => step)).toEqual(changes.map((_, index) => index + 1));
      expect((await find())?.channels.email.state).toBe(changes.at(-1)?.to);
    });
  });
}

import type { Change } from './change.js';
import { consentOf, type Customer } from './consent.js';
import { CHANNELS, type Channel, type State, type Switch } from './switches.js';

const REGISTERED = new Date('2026-01-01T00:00:00Z');
const unreachable: Customer = {
  hasDevice: false,
  hasPhone: false,
  viberSubscribed: false,
  chosenChannelId: null,
  registeredAt: REGISTERED,
};
const reachable: Customer = { ...unreachable, hasDevice: true, hasPhone: true, viberSubscribed: true };

const changeOf = (channel: Switch, to: State, day = 2): Change => ({
  channel,
  from: to === 'granted' ? 'revoked' : 'granted',
  to,
  source: 'mobile_app',
  at: new Date(Date.UTC(2026, 0, day)),
});

const effectiveChannels = (changes: readonly Change[]): Channel[] => {
  const { channels } = consentOf(unreachable, changes);
  return CHANNELS.filter((channel) => channels[channel].effective);
};

describe('a consent without changes', () => {
  const consent = consentOf(unreachable, []);

  it('is granted for everything', () => {
    expect(consent.master).toEqual({ state: 'granted', lastChange: undefined });
    for (const channel of CHANNELS) {
      expect(consent.channels[channel]).toEqual({ state: 'granted', effective: true, lastChange: undefined });
    }
  });

  it('has the time of the customer’s registration as givenAt', () => {
    expect(consent.givenAt).toEqual(REGISTERED);
  });
});

describe('the master switch of a consent', () => {
  it('makes all channels ineffective when off, but keeps their states', () => {
    const changes = [changeOf('master', 'revoked'), changeOf('sms', 'revoked'), changeOf('push', 'granted')];
    expect(effectiveChannels(changes)).toEqual([]);
    const { channels } = consentOf(unreachable, changes);
    expect(CHANNELS.map((channel) => channels[channel].state)).toEqual(['granted', 'revoked', 'granted', 'granted']);
  });

  it('makes granted channels effective when on', () => {
    expect(effectiveChannels([changeOf('master', 'granted'), changeOf('sms', 'revoked')])).toEqual([
      'email',
      'push',
      'viber',
    ]);
  });
});

describe.each(CHANNELS)('the channel %s', (channel) => {
  it('is the only ineffective channel when only it is revoked', () => {
    expect(effectiveChannels([changeOf(channel, 'revoked')])).toEqual(
      CHANNELS.filter((otherChannel) => otherChannel !== channel),
    );
  });

  it('refers to its last change', () => {
    const change = changeOf(channel, 'revoked');
    expect(consentOf(unreachable, [changeOf('master', 'revoked'), change]).channels[channel].lastChange).toBe(change);
  });
});

describe('givenAt', () => {
  it('is the time of the latest change of any switch', () => {
    const changes = [
      changeOf('email', 'revoked', 3),
      changeOf('master', 'granted', 9),
      changeOf('viber', 'revoked', 5),
    ];
    expect(consentOf(unreachable, changes).givenAt).toEqual(new Date('2026-01-09T00:00:00Z'));
  });
});

describe('the preferred channel', () => {
  const preferredChannelOf = (customer: Customer, ...revokedChannels: Switch[]): unknown =>
    consentOf(
      customer,
      revokedChannels.map((channel) => changeOf(channel, 'revoked')),
    ).preferred;

  it.each([
    ['push', 3, [], reachable],
    ['viber, when push is revoked', 4, ['push'], reachable],
    ['viber, when there is no device', 4, [], { ...reachable, hasDevice: false }],
    ['email, when viber is revoked too', 1, ['push', 'viber'], reachable],
    ['email, when not subscribed to viber either', 1, [], { ...unreachable, hasPhone: true }],
    ['sms, when email is revoked too', 2, ['push', 'viber', 'email'], reachable],
  ] as [string, number, Switch[], Customer][])('is %s', (_, id, revokedChannels, customer) => {
    expect(preferredChannelOf(customer, ...revokedChannels)).toEqual({ channelId: id, source: 'auto' });
  });

  it.each([
    ['every channel is revoked', [...CHANNELS], reachable],
    ['the master is off', ['master'], reachable],
    ['only sms is granted, and there is no phone', ['push', 'viber', 'email'], { ...reachable, hasPhone: false }],
  ] as [string, Switch[], Customer][])('is none when %s', (_, revokedChannels, customer) => {
    expect(preferredChannelOf(customer, ...revokedChannels)).toEqual({ channelId: null, source: 'auto' });
  });

  it('is the channel that the customer chose, even if it is not effective', () => {
    const customerWithChoice = { ...reachable, chosenChannelId: 2 };
    expect(preferredChannelOf(customerWithChoice)).toEqual({ channelId: 2, source: 'manual' });
    expect(preferredChannelOf(customerWithChoice, 'sms', 'master')).toEqual({ channelId: 2, source: 'manual' });
  });
});

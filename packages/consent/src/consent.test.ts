import type { Change } from './change.js';
import { consentOf, type Customer } from './consent.js';
import { CHANNELS, type Channel, type State, type Switch } from './switches.js';

const REGISTERED = new Date('2026-01-01T00:00:00Z');
const anybody: Customer = {
  hasDevice: false,
  hasPhone: false,
  viberSubscribed: false,
  chosenChannelId: null,
  registeredAt: REGISTERED,
};
const reachable: Customer = { ...anybody, hasDevice: true, hasPhone: true, viberSubscribed: true };

const moved = (channel: Switch, to: State, day = 2): Change => ({
  channel,
  from: to === 'granted' ? 'revoked' : 'granted',
  to,
  source: 'mobile_app',
  at: new Date(Date.UTC(2026, 0, day)),
});

const effective = (changes: readonly Change[]): Channel[] => {
  const { channels } = consentOf(anybody, changes);
  return CHANNELS.filter((channel) => channels[channel].effective);
};

describe('a customer who never moved a switch', () => {
  const consent = consentOf(anybody, []);

  it('has granted everything', () => {
    expect(consent.master).toEqual({ state: 'granted', last: undefined });
    for (const channel of CHANNELS) {
      expect(consent.channels[channel]).toEqual({ state: 'granted', effective: true, last: undefined });
    }
  });

  it('has given that at the registration', () => {
    expect(consent.givenAt).toEqual(REGISTERED);
  });
});

describe('the master switch', () => {
  it('that is off leaves no channel effective, and every channel in its own state', () => {
    const changes = [moved('master', 'revoked'), moved('sms', 'revoked'), moved('push', 'granted')];
    expect(effective(changes)).toEqual([]);
    const { channels } = consentOf(anybody, changes);
    expect(CHANNELS.map((channel) => channels[channel].state)).toEqual(['granted', 'revoked', 'granted', 'granted']);
  });

  it('that is on again leaves those effective that are granted', () => {
    expect(effective([moved('master', 'granted'), moved('sms', 'revoked')])).toEqual(['email', 'push', 'viber']);
  });
});

describe.each(CHANNELS)('the channel %s', (channel) => {
  it('that is revoked is not effective, and the others are', () => {
    expect(effective([moved(channel, 'revoked')])).toEqual(CHANNELS.filter((each) => each !== channel));
  });

  it('tells by which change it came to its state', () => {
    const change = moved(channel, 'revoked');
    expect(consentOf(anybody, [moved('master', 'revoked'), change]).channels[channel].last).toBe(change);
  });
});

describe('the moment at which consent was given', () => {
  it('is that of the latest change, of whatever switch', () => {
    const changes = [moved('email', 'revoked', 3), moved('master', 'granted', 9), moved('viber', 'revoked', 5)];
    expect(consentOf(anybody, changes).givenAt).toEqual(new Date('2026-01-09T00:00:00Z'));
  });
});

describe('the preferred channel', () => {
  const preferred = (customer: Customer, ...revoked: Switch[]): unknown =>
    consentOf(
      customer,
      revoked.map((channel) => moved(channel, 'revoked')),
    ).preferred;

  it.each([
    ['push', 3, [], reachable],
    ['viber, when push is revoked', 4, ['push'], reachable],
    ['viber, when there is no device', 4, [], { ...reachable, hasDevice: false }],
    ['email, when viber is revoked too', 1, ['push', 'viber'], reachable],
    ['email, when not subscribed to viber either', 1, [], { ...anybody, hasPhone: true }],
    ['sms, when email is revoked too', 2, ['push', 'viber', 'email'], reachable],
  ] as [string, number, Switch[], Customer][])('is %s', (_, id, revoked, customer) => {
    expect(preferred(customer, ...revoked)).toEqual({ channelId: id, source: 'auto' });
  });

  it.each([
    ['every channel is revoked', [...CHANNELS], reachable],
    ['the master is off', ['master'], reachable],
    ['only sms is granted, and there is no phone', ['push', 'viber', 'email'], { ...reachable, hasPhone: false }],
  ] as [string, Switch[], Customer][])('is none when %s', (_, revoked, customer) => {
    expect(preferred(customer, ...revoked)).toEqual({ channelId: null, source: 'auto' });
  });

  it('is what the customer has chosen, effective or not', () => {
    const chosen = { ...reachable, chosenChannelId: 2 };
    expect(preferred(chosen)).toEqual({ channelId: 2, source: 'manual' });
    expect(preferred(chosen, 'sms', 'master')).toEqual({ channelId: 2, source: 'manual' });
  });
});

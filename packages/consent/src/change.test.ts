import fc from 'fast-check';
import { changeFor, channelOf, stateOf, type Change, type Wish } from './change.js';
import { STATES, SWITCHES } from './switches.js';

const NOON = new Date('2026-11-21T12:00:00Z');
const EARLIER = new Date('2026-11-21T11:59:59.999Z');
const wish = (state: Wish['state'], channel: Wish['channel'] = 'sms'): Wish => ({
  channel,
  state,
  source: 'mobile_app',
});
const revoked: Change = { channel: 'sms', from: 'granted', to: 'revoked', source: 'mobile_app', at: NOON };

describe('a switch that was never moved', () => {
  it('is granted, so that granting it changes nothing', () => {
    expect(changeFor(wish('granted'), undefined, NOON)).toBeUndefined();
  });

  it('is revoked by the first change', () => {
    expect(changeFor(wish('revoked'), undefined, NOON)).toEqual(revoked);
  });
});

describe('a switch that was revoked', () => {
  it('is not revoked again', () => {
    expect(changeFor(wish('revoked'), revoked, NOON)).toBeUndefined();
  });

  it('is granted again, with a change of its own', () => {
    const later = new Date('2026-11-22T12:00:00Z');
    expect(changeFor(wish('granted'), revoked, later)).toEqual({
      channel: 'sms',
      from: 'revoked',
      to: 'granted',
      source: 'mobile_app',
      at: later,
    });
  });

  it('is never granted before it was revoked, though the clock says so', () => {
    expect(changeFor(wish('granted'), revoked, EARLIER)?.at).toEqual(NOON);
  });
});

describe('any wishes, one after the other, by clocks that disagree', () => {
  const wishes = fc.array(
    fc.record({ channel: fc.constantFrom(...SWITCHES), state: fc.constantFrom(...STATES), ms: fc.nat(10_000) }),
    { maxLength: 40 },
  );

  it('leave changes that follow on one another, never go back in time, and end in the last wish of each switch', () => {
    fc.assert(
      fc.property(wishes, (wanted) => {
        const changes: Change[] = [];
        for (const { channel, state, ms } of wanted) {
          const last = changes.findLast((change) => change.channel === channel);
          const change = changeFor({ channel, state, source: 'mobile_app' }, last, new Date(ms));
          if (change) changes.push(change);
        }
        for (const channel of SWITCHES) {
          const own = changes.filter((change) => change.channel === channel);
          own.forEach((change, index) => {
            const before = own[index - 1];
            expect([change.from, change.to]).toEqual([before?.to ?? 'granted', before?.from ?? 'revoked']);
            expect(change.at >= (before?.at ?? new Date(0))).toBe(true);
          });
          const asked = wanted.findLast((each) => each.channel === channel)?.state;
          expect(own.at(-1)?.to ?? 'granted').toBe(asked ?? 'granted');
        }
      }),
    );
  });
});

describe('a channel or a state that was sent', () => {
  it('is taken when there is one of that name', () => {
    expect(['email', 'sms', 'push', 'viber'].map(channelOf)).toEqual(['email', 'sms', 'push', 'viber']);
    expect(['granted', 'revoked'].map(stateOf)).toEqual(['granted', 'revoked']);
  });

  it.each(['EMAIL', ' email', 'master', '', 'constructor', 1, true, null, ['email'], {}, 'granted'])(
    'InvalidChannel: %j is refused and shown',
    (sent) => {
      const refusal = { refused: 'API.CustomerChannelConsents.InvalidChannel', values: { channel: sent } };
      expect(channelOf(sent)).toEqual(refusal);
    },
  );

  it.each(['GRANTED', 'revoked ', 'denied', '', 0, false, null, ['granted'], {}, 'email'])(
    'InvalidState: %j is refused and shown',
    (sent) => {
      expect(stateOf(sent)).toEqual({ refused: 'API.CustomerChannelConsents.InvalidState', values: { state: sent } });
    },
  );

  it('that is absent is shown as null', () => {
    expect(channelOf(undefined)).toMatchObject({ values: { channel: null } });
    expect(stateOf(undefined)).toMatchObject({ values: { state: null } });
  });
});

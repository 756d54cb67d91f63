import fc from 'fast-check';
import { changeFor, parseChannel, parseState, type Change, type ConsentRequest } from './change.js';
import { STATES, SWITCHES } from './switches.js';

const NOON = new Date('2026-11-21T12:00:00Z');
const EARLIER = new Date('2026-11-21T11:59:59.999Z');
const request = (state: ConsentRequest['state'], channel: ConsentRequest['channel'] = 'sms'): ConsentRequest => ({
  channel,
  state,
  source: 'mobile_app',
});
const REVOCATION: Change = { channel: 'sms', from: 'granted', to: 'revoked', source: 'mobile_app', at: NOON };

describe('a consent switch that was never changed', () => {
  it('is granted', () => {
    expect(changeFor(request('granted'), undefined, NOON)).toBeUndefined();
  });

  it('is revoked by the first change', () => {
    expect(changeFor(request('revoked'), undefined, NOON)).toEqual(REVOCATION);
  });
});

describe('a consent switch that was revoked', () => {
  it('is not revoked again', () => {
    expect(changeFor(request('revoked'), REVOCATION, NOON)).toBeUndefined();
  });

  it('can be granted again', () => {
    const laterTime = new Date('2026-11-22T12:00:00Z');
    expect(changeFor(request('granted'), REVOCATION, laterTime)).toEqual({
      channel: 'sms',
      from: 'revoked',
      to: 'granted',
      source: 'mobile_app',
      at: laterTime,
    });
  });

  it('is never granted at an earlier time than its revocation, even if the clock goes back', () => {
    expect(changeFor(request('granted'), REVOCATION, EARLIER)?.at).toEqual(NOON);
  });
});

describe('consent changes from servers with different clocks', () => {
  const requests = fc.array(
    fc.record({ channel: fc.constantFrom(...SWITCHES), state: fc.constantFrom(...STATES), ms: fc.nat(10_000) }),
    { maxLength: 40 },
  );

  it('each start from the previous state, and their times never decrease', () => {
    fc.assert(
      fc.property(requests, (sentRequests) => {
        const changes: Change[] = [];
        for (const { channel, state, ms } of sentRequests) {
          const lastChange = changes.findLast((change) => change.channel === channel);
          const change = changeFor({ channel, state, source: 'mobile_app' }, lastChange, new Date(ms));
          if (change) changes.push(change);
        }
        for (const channel of SWITCHES) {
          const switchChanges = changes.filter((change) => change.channel === channel);
          switchChanges.forEach((change, index) => {
            const previousChange = switchChanges[index - 1];
            expect([change.from, change.to]).toEqual([
              previousChange?.to ?? 'granted',
              previousChange?.from ?? 'revoked',
            ]);
            expect(change.at >= (previousChange?.at ?? new Date(0))).toBe(true);
          });
          const lastState = sentRequests.findLast((sentRequest) => sentRequest.channel === channel)?.state;
          expect(switchChanges.at(-1)?.to ?? 'granted').toBe(lastState ?? 'granted');
        }
      }),
    );
  });
});

describe('parseChannel and parseState', () => {
  it('accept known values', () => {
    expect(['email', 'sms', 'push', 'viber'].map(parseChannel)).toEqual(['email', 'sms', 'push', 'viber']);
    expect(['granted', 'revoked'].map(parseState)).toEqual(['granted', 'revoked']);
  });

  it.each(['EMAIL', ' email', 'master', '', 'constructor', 1, true, null, ['email'], {}, 'granted'])(
    'refuse the channel %j and show it',
    (value) => {
      const refusal = { refused: 'API.CustomerChannelConsents.InvalidChannel', values: { channel: value } };
      expect(parseChannel(value)).toEqual(refusal);
    },
  );

  it.each(['GRANTED', 'revoked ', 'denied', '', 0, false, null, ['granted'], {}, 'email'])(
    'refuse the state %j and show it',
    (value) => {
      expect(parseState(value)).toEqual({
        refused: 'API.CustomerChannelConsents.InvalidState',
        values: { state: value },
      });
    },
  );

  it('report a missing value as null', () => {
    expect(parseChannel(undefined)).toMatchObject({ values: { channel: null } });
    expect(parseState(undefined)).toMatchObject({ values: { state: null } });
  });
});

import { refuseValue, type Refusal } from '@back-office/kernel';
import { CHANNELS, STATES, type Channel, type State, type Switch } from './switches.js';

export interface Change {
  readonly channel: Switch;
  readonly from: State;
  readonly to: State;
  readonly source: string;
  readonly at: Date;
}

export interface ConsentRequest {
  readonly channel: Switch;
  readonly state: State;
  readonly source: string;
}

export const FIRST_STATE: State = 'granted';

/**
 * Returns the next change of the switch; `undefined` when the state stays the same. The new change is never dated
 * before the last one, even if the clocks of two nodes differ.
 */
export function changeFor(
  { channel, state, source }: ConsentRequest,
  lastChange: Change | undefined,
  now: Date,
): Change | undefined {
  const from = lastChange?.to ?? FIRST_STATE;
  if (from === state) return undefined;
  return {
    channel,
    from,
    to: state,
    source,
    at: lastChange !== undefined && lastChange.at > now ? lastChange.at : now,
  };
}

export function parseChannel(value: unknown): Channel | Refusal {
  const channel = CHANNELS.find((knownChannel) => knownChannel === value);
  return channel ?? refuseValue('API.CustomerChannelConsents.InvalidChannel', 'channel', value);
}

export function parseState(value: unknown): State | Refusal {
  const state = STATES.find((knownState) => knownState === value);
  return state ?? refuseValue('API.CustomerChannelConsents.InvalidState', 'state', value);
}

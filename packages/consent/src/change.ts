import { refuseValue, type Refusal } from '@back-office/kernel';
import { CHANNELS, STATES, type Channel, type State, type Switch } from './switches.js';

/** A change of a switch; `from` and `to` always differ. */
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
 * Returns the change that follows the last one of its switch; `undefined` when the state stays. Never dates it before
 * the last one, even if the clocks of two nodes differ.
 */
export function changeFor(
  { channel, state, source }: ConsentRequest,
  last: Change | undefined,
  now: Date,
): Change | undefined {
  const from = last?.to ?? FIRST_STATE;
  if (from === state) return undefined;
  return { channel, from, to: state, source, at: last !== undefined && last.at > now ? last.at : now };
}

/** Parses a channel; a refusal shows the invalid value. */
export function parseChannel(sent: unknown): Channel | Refusal {
  const channel = CHANNELS.find((each) => each === sent);
  return channel ?? refuseValue('API.CustomerChannelConsents.InvalidChannel', 'channel', sent);
}

/** Parses a state; a refusal shows the invalid value. */
export function parseState(sent: unknown): State | Refusal {
  const state = STATES.find((each) => each === sent);
  return state ?? refuseValue('API.CustomerChannelConsents.InvalidState', 'state', sent);
}

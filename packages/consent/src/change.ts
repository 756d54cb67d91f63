import { refuseValue, type Refusal } from '@back-office/kernel';
import { CHANNELS, STATES, type Channel, type State, type Switch } from './switches.js';

/** A switch that was really moved: `from` and `to` always differ. */
export interface Change {
  readonly channel: Switch;
  readonly from: State;
  readonly to: State;
  /** Where it was moved. */
  readonly source: string;
  readonly at: Date;
}

/** What a customer asks for. */
export interface Wish {
  readonly channel: Switch;
  readonly state: State;
  readonly source: string;
}

/** A customer who never moved a switch has granted it. */
export const FIRST_STATE: State = 'granted';

/**
 * The change that a wish makes after the last one of its switch; `undefined` when the switch is there already.
 * The changes of a switch are never dated backwards, however far the clocks of two nodes are apart.
 */
export function changeFor({ channel, state, source }: Wish, last: Change | undefined, now: Date): Change | undefined {
  const from = last?.to ?? FIRST_STATE;
  if (from === state) return undefined;
  return { channel, from, to: state, source, at: last !== undefined && last.at > now ? last.at : now };
}

/** The channel that was sent; refused with the value, whatever it is, when there is none of that name. */
export function channelOf(sent: unknown): Channel | Refusal {
  const channel = CHANNELS.find((each) => each === sent);
  return channel ?? refuseValue('API.CustomerChannelConsents.InvalidChannel', 'channel', sent);
}

/** As {@link channelOf}. */
export function stateOf(sent: unknown): State | Refusal {
  const state = STATES.find((each) => each === sent);
  return state ?? refuseValue('API.CustomerChannelConsents.InvalidState', 'state', sent);
}

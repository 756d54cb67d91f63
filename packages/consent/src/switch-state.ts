import { FIRST_STATE, type Change } from './change.js';
import { eachChannel, type Channel, type State, type Switch } from './switches.js';

export interface SwitchState {
  readonly state: State;
  readonly last: Change | undefined;
}

export interface ChannelState extends SwitchState {
  /** Whether marketing may use the channel: it and the master are granted. */
  readonly effective: boolean;
}

export interface SwitchStates {
  readonly master: SwitchState;
  readonly channels: Readonly<Record<Channel, ChannelState>>;
}

/** `lastChanges` has the last change of each changed switch. */
export function switchStates(lastChanges: readonly Change[]): SwitchStates {
  const master = switchStateOf('master', lastChanges);
  const channels = eachChannel((channel) => {
    const own = switchStateOf(channel, lastChanges);
    return { ...own, effective: master.state === 'granted' && own.state === 'granted' };
  });
  return { master, channels };
}

function switchStateOf(channel: Switch, lastChanges: readonly Change[]): SwitchState {
  const last = lastChanges.find((change) => change.channel === channel);
  return { state: last?.to ?? FIRST_STATE, last };
}

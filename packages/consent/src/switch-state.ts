import { FIRST_STATE, type Change } from './change.js';
import { mapChannels, type Channel, type State, type Switch } from './switches.js';

export interface SwitchState {
  readonly state: State;
  readonly lastChange: Change | undefined;
}

export interface ChannelState extends SwitchState {
  /** True when both the channel and the master switch are granted. */
  readonly effective: boolean;
}

export interface SwitchStates {
  readonly master: SwitchState;
  readonly channels: Readonly<Record<Channel, ChannelState>>;
}

export function switchStatesOf(lastChanges: readonly Change[]): SwitchStates {
  const master = switchStateOf('master', lastChanges);
  const channels = mapChannels((channel) => {
    const switchState = switchStateOf(channel, lastChanges);
    return { ...switchState, effective: master.state === 'granted' && switchState.state === 'granted' };
  });
  return { master, channels };
}

function switchStateOf(channel: Switch, lastChanges: readonly Change[]): SwitchState {
  const lastChange = lastChanges.find((change) => change.channel === channel);
  return { state: lastChange?.to ?? FIRST_STATE, lastChange };
}
